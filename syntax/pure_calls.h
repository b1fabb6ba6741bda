#pragma once
/// \file
/// Functions of CUDA's headers that compute a value from values.

#include <string_view>

namespace warpmind::syntax {

/// Whether a call of `name`, which no source defines, only computes from its arguments and from
/// what they point to: math API, intrinsics, conversions, casts.
[[nodiscard]] bool is_pure_call(std::string_view name);

}  // namespace warpmind::syntax
