#pragma once
/// \file
/// f16 and bf16 values as floats, and back with one rounding.
///
/// A float holds both exactly. Sums of two are rounded to 24 bits, then to 11 (or 8): as 24 is at
/// least 2 * 11 + 2, the second rounding gives what one rounding of the exact sum would (Figueroa,
/// 1995). Products of f16 are exact in a float. Elsewhere the first rounding is to odd: the last
/// bit is set when anything was cut off, which keeps the information that the second needs.

#include "profilers/simulator/ops/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpmind::simulator {

/// Towards odd: `value` was rounded to nearest and `error` = exact value - value. No branches, so
/// that it runs on many lanes at once.
[[nodiscard]] inline float odd_rounded(float value, float error) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t is_inexact = std::fabs(error) > 0.0F ? 1 : 0;  // not NaN: infinities stay
  const std::uint32_t down = (bits ^ std::bit_cast<std::uint32_t>(error)) >> 31U;  // in magnitude
  return std::bit_cast<float>(bits + (is_inexact & ~bits) * (1U - 2 * down));
}
[[nodiscard]] inline double odd_rounded(double value, double error) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t is_inexact = std::fabs(error) > 0.0 ? 1 : 0;
  const std::uint64_t down = (bits ^ std::bit_cast<std::uint64_t>(error)) >> 63U;
  return std::bit_cast<double>(bits + (is_inexact & ~bits) * (1U - 2 * down));
}

/// a + b rounded to odd. Knuth's two-sum gives the error exactly.
template <class T>
[[nodiscard]] inline T odd_sum(T a, T b) {
  const T sum = a + b;
  const T part = sum - a;
  return odd_rounded(sum, (a - (sum - part)) + (b - part));
}

/// A double as a float, rounded to odd.
[[nodiscard]] inline float odd_float(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const double back = nearest;
  const bool is_inexact = (back < value) | (back > value);
  const bool goes_up = std::fabs(back) < std::fabs(value);
  const std::uint32_t step = goes_up ? 1U : ~0U;
  return std::bit_cast<float>(is_inexact & ((bits & 1U) == 0) ? bits + step : bits);
}

/// How each format is read and written.
struct Float16 {
  static constexpr std::uint16_t kExponent = 0x7c00;
  /// A float holds every product of two.
  static constexpr bool kProductsFit = true;

  /// `count` is a multiple of 8.
  static void widen(const std::uint16_t* from, float* to, int count) {
    for (int i = 0; i < count; i += 8) {
      const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
    }
  }
  static void narrow(const float* from, std::uint16_t* to, int count) {
    for (int i = 0; i < count; i += 8) {
      const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), bits);
    }
  }
};

struct Bfloat16 {
  static constexpr std::uint16_t kExponent = 0x7f80;
  static constexpr bool kProductsFit = false;  ///< the exponents are a float's own

  static void widen(const std::uint16_t* from, float* to, int count) {
    for (int i = 0; i < count; ++i) {
      to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16U);
    }
  }
  static void narrow(const float* from, std::uint16_t* to, int count) {
    for (int i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(from[i]);
      const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
      const bool is_nan = (bits & 0x7fff'ffffU) > 0x7f80'0000U;
      to[i] = static_cast<std::uint16_t>(is_nan ? 0x7fffU : rounded);
    }
  }
};

/// Whether a * b is a float: its 16 bits lie within the range, or it is zero, infinite or NaN
/// because a factor is.
[[nodiscard]] inline bool product_fits(float a, float b) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const float size = std::fabs(a * b);
  const bool is_inside = (size >= 0x1p-100F) & (size <= kMost);
  const bool is_special = !(std::fabs(a) <= kMost) | !(std::fabs(b) <= kMost);
  return is_inside | is_special | (a == 0) | (b == 0);
}

/// Numbers without exponent bits to zero of the same sign.
template <class Format>
inline void flush_halves(std::uint16_t* values, int count) {
  for (int i = 0; i < count; ++i) {
    const bool is_small = (values[i] & Format::kExponent) == 0;
    values[i] = static_cast<std::uint16_t>(is_small ? values[i] & 0x8000U : values[i]);
  }
}

}  // namespace warpmind::simulator
