#pragma once
/// \file
/// How what bases say travels between hosts: one log that is only appended to, with a subject for
/// each base, and a board on which a base asks another to say something again.

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace warpmind::daemon::hosts {

/// A message of the log.
struct LoggedMessage {
  std::uint64_t position = 0;  ///< in the whole log
  std::string node;            ///< whose subject it came on
  std::string body;
};

/// What the log is and reaches. Another `name` means another log: everything must be read again.
struct LogExtent {
  std::string name;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< 0 = empty
};

/// Errors of all: unavailable when the other side cannot be reached. Threads: any.
class ClaimBus {
 public:
  virtual ~ClaimBus() = default;

  /// Appends if the newest message of `node` is still the one at `after` (0 = none). Errors: also
  /// conflict when it is not.
  [[nodiscard]] virtual Result<std::uint64_t> append(const std::string& node,
                                                     const std::string& body,
                                                     std::uint64_t after) = 0;
  [[nodiscard]] virtual Result<std::optional<LoggedMessage>> newest_of(const std::string& node) = 0;
  [[nodiscard]] virtual Result<LogExtent> extent() = 0;
  /// Nothing where the message was removed.
  [[nodiscard]] virtual Result<std::optional<LoggedMessage>> read(std::uint64_t position) = 0;

  /// `asker` has heard `node` up to that change of that era, and misses what follows.
  [[nodiscard]] virtual Result<void> ask_again(const std::string& node, const std::string& asker,
                                               const std::string& body) = 0;
  /// By asker: what was asked of `node`.
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> asked(
      const std::string& node) = 0;
  [[nodiscard]] virtual Result<void> answered(const std::string& node,
                                              const std::string& asker) = 0;
};

}  // namespace warpmind::daemon::hosts
