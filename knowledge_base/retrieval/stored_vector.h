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

[[nodiscard]] std::string encode_halves(std::span<const float> vector);
/// Writes out.size() components. Errors: corrupt_data for another length.
[[nodiscard]] Result<void> decode_halves(std::string_view bytes, std::span<float> out);

}  // namespace warpmind::knowledge_base
