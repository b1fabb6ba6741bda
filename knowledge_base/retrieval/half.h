#pragma once
/// \file
/// Vectors as the base keeps them: IEEE half precision, little-endian, two bytes a component.

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Rounds to nearest even; what is too large becomes infinite, what is too small zero.
[[nodiscard]] std::uint16_t to_half(float value);
[[nodiscard]] float from_half(std::uint16_t half);

[[nodiscard]] std::string encode_halves(std::span<const float> vector);
/// Writes out.size() components. Errors: corrupt_data for another length.
[[nodiscard]] Result<void> decode_halves(std::string_view bytes, std::span<float> out);

}  // namespace warpmind::knowledge_base
