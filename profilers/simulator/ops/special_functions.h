#pragma once
/// \file
/// Functions of the special-function unit that the compiler should run on many lanes at once.

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpmind::simulator {

/// 2^a within 1.5 ulp, exact for whole numbers; subnormal results are rounded once.
[[nodiscard]] inline float exponential_2(float a) {
  // Past these the result is 0 or infinite anyway. NaN goes the first way, too.
  const float clamped = a > -160.0F ? (a < 140.0F ? a : 140.0F) : -160.0F;
  const float whole = std::floor(clamped + 0.5F);
  const float rest = clamped - whole;  // exact, in [-0.5, 0.5]
  // ln(2)^k / k!: the next term is below 2^-27 of the result.
  float sum = 1.5252734e-5F;
  sum = std::fma(sum, rest, 1.5403530e-4F);
  sum = std::fma(sum, rest, 1.3333558e-3F);
  sum = std::fma(sum, rest, 9.6181291e-3F);
  sum = std::fma(sum, rest, 5.5504109e-2F);
  sum = std::fma(sum, rest, 0.24022651F);
  sum = std::fma(sum, rest, 0.69314718F);
  sum = std::fma(sum, rest, 1.0F);
  // In two steps, since 2^whole may be no normal number.
  const auto exponent = static_cast<std::int32_t>(whole);
  const std::int32_t first = exponent / 2;
  const auto power = [](std::int32_t n) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23U);
  };
  const float result = sum * power(first) * power(exponent - first);
  return a == a ? result : a;
}

}  // namespace warpmind::simulator
