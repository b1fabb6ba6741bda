#pragma once
/// \file
/// `a < b && c >= d` in parentheses is read as a template with arguments by the grammar. The other
/// way around, `b > a && c >= d`, it is read as what it is.

#include <string>

namespace warpmind::agents::builtin {

/// The source with such comparisons the other way around; it means the same.
[[nodiscard]] std::string with_clear_comparisons(std::string source);

}  // namespace warpmind::agents::builtin
