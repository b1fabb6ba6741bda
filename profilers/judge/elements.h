#pragma once
/// \file
/// Arrays of elements as raw little-endian bytes and as doubles. i64 beyond 2^53 is not exact.

#include "base/model/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// The value that an element of `dtype` holds when `value` is stored: rounded to nearest even, or
/// clamped to the range of an integer.
[[nodiscard]] double round_to(double value, Dtype dtype);

[[nodiscard]] std::string encode_elements(const std::vector<double>& values, Dtype dtype);
/// Trailing bytes that make no element are ignored.
[[nodiscard]] std::vector<double> decode_elements(std::string_view bytes, Dtype dtype);
/// Element `index` of `bytes`.
[[nodiscard]] double decode_element(std::string_view bytes, Dtype dtype, std::size_t index);

/// Distance in units of the last place of `dtype`, between values that it can hold exactly; zeros
/// of either sign are one. Saturates at 2^62.
[[nodiscard]] std::int64_t ulp_distance(double a, double b, Dtype dtype);

/// Distance between neighbours of `dtype`, a floating one, in the octave of the finite `value`.
[[nodiscard]] double last_place(double value, Dtype dtype);

/// For floating dtypes.
[[nodiscard]] double largest_finite(Dtype dtype);
[[nodiscard]] double smallest_normal(Dtype dtype);
[[nodiscard]] double smallest_denormal(Dtype dtype);

}  // namespace warpmind::profilers
