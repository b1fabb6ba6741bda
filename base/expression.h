#pragma once
/// \file
/// Integer expressions over named sizes: shapes, grids, byte and flop models of a task.
///
/// Grammar: integers, names, `+ - * / %`, parentheses, unary minus, and the functions
/// `ceil_div(a,b)`, `min(a,b)`, `max(a,b)`, `next_pow2(a)`. Division truncates. Everything is
/// int64 and checked: overflow and division by zero are errors, never wrapped.

#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// Evaluates `text`. Errors: invalid_argument naming the expression, the column and the cause.
[[nodiscard]] Result<std::int64_t> evaluate(std::string_view text, const Sizes& sizes);

/// As evaluate(), and the value must be within [1, `upper`].
[[nodiscard]] Result<std::int64_t> evaluate_positive(std::string_view text, const Sizes& sizes,
                                                     std::int64_t upper);

/// Product of a list of extents; 1 for an empty list. Errors as evaluate(); also on overflow.
[[nodiscard]] Result<std::int64_t> evaluate_product(const std::vector<std::string>& extents,
                                                    const Sizes& sizes);

}  // namespace warpmind
