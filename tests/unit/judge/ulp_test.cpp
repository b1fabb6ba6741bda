// Conversions and distances against every pattern of 16 bits and a million of 32 (T-ULP).
#include "base/half.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

/// By the definition of a binary format, without looking at base/half.cpp.
double value_of(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1U);
  const std::uint32_t exponent = bits >> mantissa_bits & ((1U << exponent_bits) - 1U);
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1U) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1U << exponent_bits) - 1U) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
}

/// The same number, NaN and the sign of zero included.
bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

struct Format {
  Dtype dtype;
  int exponent_bits;
  int mantissa_bits;
  double (*to_double)(std::uint16_t);
  std::uint16_t (*from_double)(double);
};

const Format kFormats[] = {{Dtype::f16, 5, 10, f16_to_double, f16_from_double},
                           {Dtype::bf16, 8, 7, bf16_to_double, bf16_from_double}};

TEST(Ulp, EveryPatternOf16BitsIsReadAndWrittenRight) {
  for (const Format& format : kFormats) {
    std::int64_t mismatches = 0;
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      const double want = value_of(bits, format.exponent_bits, format.mantissa_bits);
      if (!same(format.to_double(pattern), want)) ++mismatches;
      if (!std::isnan(want) && format.from_double(want) != pattern) ++mismatches;
      if (std::isnan(want) && !std::isnan(format.to_double(format.from_double(want)))) ++mismatches;
    }
    EXPECT_EQ(mismatches, 0) << name_of(format.dtype);
  }
}

TEST(Ulp, BetweenEveryTwoNeighboursOf16BitsTheNearestWinsAndTiesGoToEven) {
  for (const Format& format : kFormats) {
    std::int64_t mismatches = 0;
    const std::uint32_t infinity = ((1U << format.exponent_bits) - 1U) << format.mantissa_bits;
    for (std::uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      const double low = value_of(bits, format.exponent_bits, format.mantissa_bits);
      const double high = value_of(bits + 1, format.exponent_bits, format.mantissa_bits);
      const double middle = low + (high - low) / 2;  // exact in double
      const auto even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
      if (format.from_double(middle) != even) ++mismatches;
      if (format.from_double(std::nextafter(middle, low)) != bits) ++mismatches;
      if (format.from_double(std::nextafter(middle, high)) != bits + 1) ++mismatches;
      if (format.from_double(-middle) != (even | 0x8000U)) ++mismatches;
      if (ulp_distance(low, high, format.dtype) != 1) ++mismatches;
      if (last_place(low, format.dtype) != high - low) ++mismatches;
    }
    EXPECT_EQ(mismatches, 0) << name_of(format.dtype);
  }
}

TEST(Ulp, StepsBetweenRandomPatternsOf32BitsAreCounted) {
  SplitMix random(20260101);
  std::int64_t mismatches = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    const float value = std::bit_cast<float>(bits);
    const auto steps = static_cast<std::uint32_t>(random.next() % 1000);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (!std::isfinite(value) || magnitude + steps >= 0x7F800000U) continue;
    const float further = std::bit_cast<float>(bits + steps);
    if (ulp_distance(value, further, Dtype::f32) != steps) ++mismatches;
    // Across zero: what lies on either side adds up.
    const auto across = static_cast<std::int64_t>(2) * static_cast<std::int64_t>(magnitude);
    if (ulp_distance(value, -value, Dtype::f32) != across) ++mismatches;
    const float next = std::nextafter(std::fabs(value), std::numeric_limits<float>::infinity());
    if (std::isfinite(next) &&
        last_place(value, Dtype::f32) != static_cast<double>(next) - std::fabs(value)) {
      ++mismatches;
    }
  }
  EXPECT_EQ(mismatches, 0);
  EXPECT_EQ(ulp_distance(0.0, -0.0, Dtype::f32), 0);
}

}  // namespace
}  // namespace warpmind::profilers
