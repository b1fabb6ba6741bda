#pragma once
/// \file
/// Regular expressions of program tasks: POSIX extended ones, which need no stack for long text.

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
  /// Errors: invalid_argument with what the expression cannot be. Repetition counts ({2,3}) and
  /// back references (\1) are refused: both can take memory or time without end.
  [[nodiscard]] static Result<ProgramPattern> compile(const std::string& text);
  /// As compile(), but the whole text must match.
  [[nodiscard]] static Result<ProgramPattern> compile_whole(const std::string& text);

  /// Whether some part of `line` matches.
  [[nodiscard]] bool matches(const std::string& line) const;
  /// Whether some line of `text` does.
  [[nodiscard]] bool matches_a_line(std::string_view text) const;

 private:
  struct Expression;
  explicit ProgramPattern(std::shared_ptr<const Expression> expression)
      : expression_(std::move(expression)) {}
  std::shared_ptr<const Expression> expression_;
};

}  // namespace warpmind::config
