#pragma once
/// \file
/// The one error type and the one fallible return type of the project.
///
/// A caller that can act on a failure gets a `Result<T>`. A kernel that does not compile, computes
/// the wrong answer or is slow is not a failure of ours: it is a value (see base/model/verdict.h).

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace warpmind {

/// Stable codes: their names and numbers are part of the wire protocol (docs/protocol.md).
enum class Errc {
  invalid_argument = 1,  ///< the caller's input is wrong; the message says what, where, how to fix
  not_found = 2,         ///< a named thing that must exist does not
  conflict = 3,          ///< the request contradicts what is stored
  timeout = 4,           ///< a deadline passed
  cancelled = 5,         ///< somebody asked to stop
  unavailable = 6,       ///< a facility of this machine is missing (GPU, nvcc, sandbox, disk space)
  corrupt_data = 7,      ///< stored or received bytes cannot be what they claim to be
  external_failure = 8,  ///< a library or the operating system refused
};

/// Why something could not be done. `message` is one line, for a person, without secrets.
struct Error {
  Errc code = Errc::external_failure;
  std::string message;

  /// Prefixes context: `"reading task.toml: " + message`.
  [[nodiscard]] Error while_doing(std::string_view what) && {
    return {code, std::string(what) + ": " + std::move(message)};
  }
  bool operator==(const Error&) const = default;
};

/// A value or an Error. Must not be ignored.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Base&& other) : Base(std::move(other)) {}  // NOLINT(google-explicit-constructor)
};

[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace warpmind

// A declaration cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define WARPMIND_CONCAT_INNER(a, b) a##b
#define WARPMIND_CONCAT(a, b) WARPMIND_CONCAT_INNER(a, b)
#define WARPMIND_TRY_INNER(temporary, declaration, expression)              \
  auto temporary = (expression);                                            \
  if (!temporary.has_value())                                               \
    return tl::unexpected<::warpmind::Error>(std::move(temporary).error()); \
  declaration = std::move(temporary).value()
// NOLINTEND(bugprone-macro-parentheses)
/// `WARPMIND_TRY(auto x, f());` returns f's error, or binds its value. One a line.
#define WARPMIND_TRY(declaration, expression) \
  WARPMIND_TRY_INNER(WARPMIND_CONCAT(warpmind_try_, __LINE__), declaration, expression)
/// `WARPMIND_CHECK(f());` for `Result<void>`: returns f's error, or goes on.
#define WARPMIND_CHECK(expression)                                                 \
  do {                                                                             \
    auto warpmind_check = (expression);                                            \
    if (!warpmind_check.has_value())                                               \
      return tl::unexpected<::warpmind::Error>(std::move(warpmind_check).error()); \
  } while (false)
