#pragma once
/// \file
/// Numbers as people read them.

#include <string>

namespace warpmind {

/// `value` with `digits` digits after the point: fixed(1.5, 2) is "1.50".
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace warpmind
