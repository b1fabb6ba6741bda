#pragma once
/// \file
/// One description of a value that crosses a border (wire, disk, command line, documents): each
/// member with its name, whether it must be there, and what it means. JSON, checks of parameters,
/// docs/protocol.md and the flags of commands are made of it.

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind {

/// What a number or a text may be.
struct Limits {
  std::optional<double> least = {};  ///< of a number
  std::optional<double> above = {};  ///< the same, without the bound itself
  std::optional<double> most = {};   ///< of a number
  std::size_t longest = 0;           ///< characters of a text, which is one line then; 0 = any text
};

/// A member that is an option of a command, too. Given in place of its sentence:
/// `field.optional("seed", self.seed, Option{.text = "random seed", .value = "N"})`.
struct Option {
  const char* text;            ///< one sentence; other members are named as `member`
  const char* value = "";      ///< what help writes for the value: "N", "FILE"; of a switch empty
  const char* flag = "";       ///< without "--"; empty = the member's name with hyphens
  const char* heading = "";    ///< under which help lists the flag; empty = Flags
  const char* setting = "";    ///< that holds when the option is absent
  const char* fallback = "";   ///< what holds then, where no setting says so
  const char* help = nullptr;  ///< of the flag, where a command does more than the wire
  const char* also = "";       ///< what help adds to it
  std::span<const std::string_view> choices = {};  ///< nothing else is taken
  Limits limits = {};
  bool is_reported = false;  ///< reports of a job print it

  /// For visitors that know only sentences.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator const char*() const { return text; }
};

namespace describe_detail {
struct Anything {
  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
};
}  // namespace describe_detail

/// A type that describes itself: `T::describe(self, field)` calls, for each member in the order of
/// the documents, `field.required(name, self.member, sentence)` or `field.optional(...)`. Required:
/// in parameters it must be given, in results it is always there. `self` is a `T` or a `const T`;
/// a type that is derived from a described one calls the description of its base.
template <class T>
concept Described = requires(const T& value, describe_detail::Anything& field) {
  T::describe(value, field);
};

/// "--gpu-seconds".
[[nodiscard]] std::string flag_name(std::string_view member, const Option& option);

/// As docs/protocol.md says it: with choices and default.
[[nodiscard]] std::string document_sentence(const Option& option);

/// The names that a refusal gives to members: "'workers'" on the wire, "--workers" at a shell.
enum class OptionNames { members, flags };

/// Errors: invalid_argument, as check_options(). `name` is as a sentence gives it.
[[nodiscard]] Result<void> check_number(const std::string& name, double value,
                                        const Limits& limits);
[[nodiscard]] Result<void> check_text(const std::string& name, std::string_view text,
                                      const Limits& limits);

/// Visitor behind check_options(): keeps the first refusal.
struct LimitCheck {
  OptionNames names = OptionNames::members;
  Result<void> found = {};

  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
  void required(const char* name, const auto& value, const Option& option) {
    optional(name, value, option);
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value, const Option& option) {
    if (value) optional(name, *value, option);
  }
  void optional(const char* name, const std::string& value, const Option& option) {
    if (found) found = check_text(shown(name, option), value, option.limits);
  }
  void optional(const char*, bool, const Option&) {}
  void optional(const char* name, std::int64_t value, const Option& option) {
    optional(name, static_cast<double>(value), option);
  }
  void optional(const char* name, double value, const Option& option) {
    if (found) found = check_number(shown(name, option), value, option.limits);
  }

 private:
  [[nodiscard]] std::string shown(const char* name, const Option& option) const {
    if (names == OptionNames::flags) return flag_name(name, option);
    return "'" + std::string(name) + "'";
  }
};

/// Errors: invalid_argument in one sentence for the first option outside its limits; what is absent
/// is inside.
template <Described T>
[[nodiscard]] Result<void> check_options(const T& options, OptionNames names) {
  LimitCheck check{names};
  T::describe(options, check);
  return check.found;
}

/// Visitor behind reported_options().
struct ReportedOptions {
  std::vector<std::pair<std::string, std::string>> rows;

  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
  void optional(const char* name, const std::string& value, const Option& option) {
    if (option.is_reported && !value.empty()) rows.emplace_back(name, value);
  }
};

/// Name and text of the options that reports print, those that were given.
template <Described T>
[[nodiscard]] std::vector<std::pair<std::string, std::string>> reported_options(const T& options) {
  ReportedOptions reported;
  T::describe(options, reported);
  return std::move(reported.rows);
}

}  // namespace warpmind
