#pragma once
/// \file
/// Regular expressions of program tasks, matched in time that grows with the text alone (RE2).

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace warpmind::config {

/// Most bytes of a pattern.
inline constexpr std::size_t kPatternBytes = 400;

/// Threads: any may match at the same time.
class ProgramPattern {
 public:
  /// POSIX extended, and \d, \s, \w and \b besides. Errors: invalid_argument for what is none, and
  /// for what would need a machine too large or back references.
  [[nodiscard]] static Result<ProgramPattern> compile(const std::string& text);
  /// As compile(), but the whole text must match.
  [[nodiscard]] static Result<ProgramPattern> compile_whole(const std::string& text);

  /// Whether some part of `line` matches.
  [[nodiscard]] bool matches(std::string_view line) const;
  /// Whether some line of `text` does.
  [[nodiscard]] bool matches_a_line(std::string_view text) const;

 private:
  struct Expression;
  explicit ProgramPattern(std::shared_ptr<const Expression> expression)
      : expression_(std::move(expression)) {}
  std::shared_ptr<const Expression> expression_;
};

}  // namespace warpmind::config
