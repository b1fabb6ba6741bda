#pragma once
/// \file
/// f16 and bf16 as bit patterns. Conversions from double round once, to nearest even.

#include <cstdint>

namespace warpmind::profilers {

[[nodiscard]] std::uint16_t f16_from_double(double value);
[[nodiscard]] double f16_to_double(std::uint16_t bits);
[[nodiscard]] std::uint16_t bf16_from_double(double value);
[[nodiscard]] double bf16_to_double(std::uint16_t bits);

}  // namespace warpmind::profilers
