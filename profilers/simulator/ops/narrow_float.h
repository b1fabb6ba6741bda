#pragma once
/// \file
/// Floating-point formats of 32 bits and less, bit by bit. Slow; the common conversions have their
/// own way (half.h).

#include "profilers/simulator/ops/rounding.h"

#include <cstdint>

namespace warpmind::simulator {

struct FloatFormat {
  int exponent_bits = 8;
  int mantissa_bits = 23;
  /// Largest finite value; e4m3 uses the highest exponent for numbers, too, and has no infinity.
  std::uint32_t greatest = 0x7f7f'ffff;
  std::uint32_t infinity = 0x7f80'0000;
  std::uint32_t nan = 0x7fff'ffff;
};

inline constexpr FloatFormat kFormatF32{8, 23, 0x7f7f'ffff, 0x7f80'0000, 0x7fff'ffff};
inline constexpr FloatFormat kFormatF16{5, 10, 0x7bff, 0x7c00, 0x7fff};
inline constexpr FloatFormat kFormatBf16{8, 7, 0x7f7f, 0x7f80, 0x7fff};
/// Without the 13 low bits that a register has besides.
inline constexpr FloatFormat kFormatTf32{8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
/// Conversions to the 8-bit formats are .satfinite: infinity becomes the greatest number.
inline constexpr FloatFormat kFormatE4m3{4, 3, 0x7e, 0x7e, 0x7f};
inline constexpr FloatFormat kFormatE5m2{5, 2, 0x7b, 0x7c, 0x7f};

/// `value` must be exact, or rounded to odd from something wider.
/// `finite`: infinity and what overflows become the greatest number (.satfinite).
[[nodiscard]] std::uint32_t encode_float(double value, const FloatFormat& format, Rounding rounding,
                                         bool finite);
[[nodiscard]] double decode_float(std::uint32_t bits, const FloatFormat& format);

/// To a whole number.
[[nodiscard]] double round_whole(double value, Rounding rounding);

}  // namespace warpmind::simulator
