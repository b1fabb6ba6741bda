#pragma once
/// \file
/// Numbers as people read them.

#include <string>

namespace warpmind {

/// `value` with `digits` digits after the point: fixed(1.5, 2) is "1.50".
[[nodiscard]] std::string fixed(double value, int digits);

/// `value` with at most `digits` digits that count: significant(0.00012345, 3) is "0.000123",
/// significant(1e9, 4) is "1e+09".
[[nodiscard]] std::string significant(double value, int digits = 4);

/// Three digits that count: "6.99 µs", "447 µs", "12.1 ms".
[[nodiscard]] std::string time_text(double ns);

}  // namespace warpmind
