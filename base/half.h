#pragma once
/// \file
/// The two floating-point formats of 16 bits as bit patterns: f16 (IEEE binary16) and bf16 (the
/// upper half of a float). Conversions to them round to nearest even; what is too large becomes
/// infinite, a NaN a quiet one of the same sign. Those from double round once.

#include <bit>
#include <cstdint>

namespace warpmind {

[[nodiscard]] std::uint16_t f16_from_double(double value);
[[nodiscard]] double f16_to_double(std::uint16_t bits);
[[nodiscard]] std::uint16_t bf16_from_double(double value);
[[nodiscard]] double bf16_to_double(std::uint16_t bits);

/// f16_from_double() for many values: no loops, few branches. Below 2^-14, where f16 loses bits, it
/// rounds twice: a value beside the middle of two may go to the farther one. Stored vectors have
/// always been rounded this way.
[[nodiscard]] constexpr std::uint16_t f16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  // The exponents differ by 127 - 15. Scaling rounds what becomes subnormal, for the first time.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p-112F);
  const std::uint32_t odd = (scaled >> 13U) & 1U;
  const std::uint32_t half = (scaled + 0xfffU + odd) >> 13U;
  return static_cast<std::uint16_t>(sign | (half > 0x7c00U ? 0x7c00U : half));
}

[[nodiscard]] constexpr float f16_to_float(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  if (magnitude >= 0x7c00U) {
    return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13U));
  }
  const float value = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

}  // namespace warpmind
