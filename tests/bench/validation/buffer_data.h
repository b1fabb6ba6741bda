#pragma once
/// \file
/// The content of a point's buffers, the same on every machine, and the sums that are compared.

#include "tests/bench/validation/point_table.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmind::validation {

/// The bytes of `buffer` before a launch. Element i depends only on `position` (the buffer's place
/// in its point) and i.
[[nodiscard]] std::string initial_bytes(const Buffer& buffer, std::size_t position);

/// Sums of a buffer as doubles. `weighted` counts element i 1 + i % 61 times, so that misplaced
/// elements show.
struct Checksum {
  double sum = 0;
  double weighted = 0;
  double magnitude = 0;  ///< sum of the absolute values: the scale of rounding errors
};
/// `bytes` holds elements of `dtype` (f16, f32 or u32).
[[nodiscard]] Checksum checksum_of(std::string_view bytes, Dtype dtype);

}  // namespace warpmind::validation
