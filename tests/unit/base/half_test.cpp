#include "base/half.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(HalfTest, EveryPatternComesBackByBothWays) {
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double value = f16_to_double(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_float(bits)));
      continue;
    }
    ASSERT_EQ(static_cast<double>(f16_to_float(bits)), value) << i;
    ASSERT_EQ(f16_from_double(value), bits);
    ASSERT_EQ(f16_from_float(f16_to_float(bits)), bits);
  }
}

/// The floats at and right beside the middle of the f16 with the pattern `i` and the next one.
std::array<float, 3> near_middle(std::uint32_t i) {
  const float low = f16_to_float(static_cast<std::uint16_t>(i));
  const float high = f16_to_float(static_cast<std::uint16_t>(i + 1));
  const float middle = low + (high - low) / 2;
  return {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, high)};
}

TEST(HalfTest, ANormalFloatRoundsAsADoubleDoes) {
  for (std::uint32_t i = 0x0400; i < 0x7BFF; ++i) {
    for (const float value : near_middle(i)) {
      ASSERT_EQ(f16_from_float(value), f16_from_double(value)) << i;
      ASSERT_EQ(f16_from_float(-value), f16_from_double(-value)) << i;
    }
  }
}

TEST(HalfTest, ASmallFloatIsRoundedTwice) {
  for (std::uint32_t i = 0; i < 0x0400; ++i) {
    const auto [middle, below, above] = near_middle(i);
    EXPECT_EQ(f16_from_float(middle), f16_from_double(middle)) << i;
    EXPECT_NEAR(f16_from_float(below), f16_from_double(below), 1) << i;
    EXPECT_NEAR(f16_from_float(above), f16_from_double(above), 1) << i;
  }
  const float above = near_middle(0)[2];
  EXPECT_EQ(f16_from_double(above), 1);
  EXPECT_EQ(f16_from_float(above), 0) << "first to the middle, then to even";
}

TEST(HalfTest, WhatDoesNotFit) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {65520.0F, 1e30F, kInfinity}) {
    EXPECT_EQ(f16_from_float(value), 0x7C00) << value;
    EXPECT_EQ(f16_from_double(-value), 0xFC00) << value;
  }
  EXPECT_EQ(f16_from_float(65519.0F), 0x7BFF);
  EXPECT_EQ(f16_from_float(1e-9F), 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(f16_from_float(nan), f16_from_double(nan));
  EXPECT_EQ(bf16_from_double(nan), 0x7FC0);
  EXPECT_EQ(bf16_from_double(1e300), 0x7F80);
}

}  // namespace
}  // namespace warpmind
