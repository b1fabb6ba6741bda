#pragma once
/// \file
/// The few things of C++ source that a launcher's call is found by.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::level1 {

/// Comments become blanks.
[[nodiscard]] std::string without_comments(std::string_view source);

/// The pieces between commas outside brackets, trimmed. Empty for blank text.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);

[[nodiscard]] std::string trimmed(std::string_view text);

/// The text between the brackets of the last `name(…)` that is followed by `after` ('{' or ';').
/// Errors: invalid_argument.
[[nodiscard]] Result<std::string> last_brackets_after(const std::string& source,
                                                      std::string_view name, char after);

/// `int64_t M = 2048, K = 64;` gives two. `tensor` for torch::Tensor and auto.
struct Declaration {
  std::string type;
  std::string name;
  std::string value;
};
[[nodiscard]] std::vector<Declaration> declarations_of(const std::string& source);

}  // namespace warpmind::level1
