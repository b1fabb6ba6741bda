#include "profilers/judge/elements.h"

#include "base/half.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

std::vector<double> every_value(double (*decode)(std::uint16_t)) {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    values.push_back(decode(static_cast<std::uint16_t>(bits)));
  }
  return values;
}

TEST(HalfFloat, EveryPatternReturnsToItself) {
  for (std::uint32_t i = 0; i < 0x10000U; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double f16 = f16_to_double(bits);
    const double bf16 = bf16_to_double(bits);
    if (std::isnan(f16)) {
      ASSERT_TRUE(std::isnan(f16_to_double(f16_from_double(f16)))) << i;
    } else {
      ASSERT_EQ(f16_from_double(f16), bits);
    }
    if (std::isnan(bf16)) {
      ASSERT_TRUE(std::isnan(bf16_to_double(bf16_from_double(bf16)))) << i;
    } else {
      ASSERT_EQ(bf16_from_double(bf16), bits);
    }
  }
}

TEST(HalfFloat, Bf16IsTheUpperHalfOfAnF32) {
  for (std::uint32_t i = 0; i < 0x10000U; ++i) {
    const auto wide = double{std::bit_cast<float>(i << 16U)};
    const double ours = bf16_to_double(static_cast<std::uint16_t>(i));
    ASSERT_TRUE(wide == ours || (std::isnan(wide) && std::isnan(ours))) << i;
  }
}

#ifdef __FLT16_MAX__
// GCC's own half float, where the target has it (x86-64 with SSE2, from GCC 12).
TEST(HalfFloat, F16AgreesWithTheCompilerOnEveryPattern) {
  for (std::uint32_t i = 0; i < 0x10000U; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    _Float16 theirs{};
    std::memcpy(&theirs, &bits, sizeof bits);
    const auto wide = static_cast<double>(theirs);
    const double ours = f16_to_double(bits);
    ASSERT_TRUE(wide == ours || (std::isnan(wide) && std::isnan(ours))) << i;
  }
}

TEST(HalfFloat, F16RoundsAsTheCompilerDoesAroundEveryBoundary) {
  const auto values = every_value(f16_to_double);
  for (const double value : values) {
    if (std::isnan(value)) continue;
    // Midpoints and their neighbours: where rounding is decided.
    const double step =
        std::isinf(value) ? 32 : std::max(std::ldexp(std::fabs(value), -11), 0x1p-25);
    for (const double moved :
         {value, value + step, value - step, value + step / 2, std::nextafter(value + step, 1e30),
          std::nextafter(value + step, -1e30)}) {
      const auto theirs = static_cast<_Float16>(moved);
      std::uint16_t bits = 0;
      std::memcpy(&bits, &theirs, sizeof bits);
      ASSERT_EQ(f16_from_double(moved), bits) << std::hexfloat << moved;
    }
  }
}
#endif

TEST(HalfFloat, TiesGoToEven) {
  EXPECT_EQ(bf16_from_double(1 + 0x1p-8), 0x3F80);      // between 1 and 1 + 2^-7
  EXPECT_EQ(bf16_from_double(1 + 3 * 0x1p-8), 0x3F82);  // between 1 + 2^-7 and 1 + 2^-6
  EXPECT_EQ(bf16_from_double(std::nextafter(1 + 0x1p-8, 2)), 0x3F81);
  EXPECT_EQ(bf16_from_double(0x1p-134), 0x0000);  // half of the smallest denormal
  EXPECT_EQ(bf16_from_double(std::nextafter(0x1p-134, 1)), 0x0001);
  EXPECT_EQ(f16_from_double(65519.99), 0x7BFF);
  EXPECT_EQ(f16_from_double(65520), 0x7C00);  // rounds past the largest: infinity
  EXPECT_EQ(f16_from_double(-65520), 0xFC00);
  EXPECT_EQ(bf16_from_double(3.4e38), 0x7F80);
  EXPECT_EQ(f16_from_double(-0.0), 0x8000);
  EXPECT_EQ(f16_from_double(1e-30), 0x0000);
}

TEST(Elements, EveryDtypeSurvivesItsBytes) {
  for (const auto& [dtype, name] : EnumNames<Dtype>::table) {
    const std::vector<double> values{0, 1, 2, 100, 3, 0, 127};
    const std::string bytes = encode_elements(values, dtype);
    ASSERT_EQ(bytes.size(), values.size() * size_in_bytes(dtype)) << name;
    EXPECT_EQ(decode_elements(bytes, dtype), values) << name;
  }
}

TEST(Elements, RoundingIsThatOfStoring) {
  for (const auto& [dtype, name] : EnumNames<Dtype>::table) {
    for (const double value : {0.1, -2.5, 1e10, -1e10, 300.7, 1e-40}) {
      EXPECT_EQ(round_to(value, dtype), decode_element(encode_elements({value}, dtype), dtype, 0))
          << name << " " << value;
    }
  }
  EXPECT_EQ(round_to(300.7, Dtype::u8), 255);
  EXPECT_EQ(round_to(-1e10, Dtype::i32), -2147483648.0);
}

TEST(Elements, UlpDistanceCountsRepresentableSteps) {
  EXPECT_EQ(ulp_distance(1, 1 + 0x1p-23, Dtype::f32), 1);
  EXPECT_EQ(ulp_distance(1, 1 - 0x1p-24, Dtype::f32), 1);
  EXPECT_EQ(ulp_distance(0.0, -0.0, Dtype::f32), 0);
  EXPECT_EQ(ulp_distance(0x1p-149, -0x1p-149, Dtype::f32), 2);
  EXPECT_EQ(ulp_distance(1, 1 + 0x1p-9, Dtype::f16), 2);
  EXPECT_EQ(ulp_distance(7, 9, Dtype::i32), 2);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ulp_distance(65504, infinity, Dtype::f16), 1);
  EXPECT_GT(ulp_distance(-infinity, infinity, Dtype::f64), std::int64_t{1} << 61U);
}

TEST(Elements, LimitsAreThoseOfTheFormats) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    const double largest = largest_finite(dtype);
    EXPECT_EQ(round_to(largest, dtype), largest);
    EXPECT_EQ(ulp_distance(largest, std::numeric_limits<double>::infinity(), dtype), 1);
    EXPECT_EQ(ulp_distance(0, smallest_denormal(dtype), dtype), 1);
    EXPECT_EQ(round_to(smallest_normal(dtype), dtype), smallest_normal(dtype));
  }
}

}  // namespace
}  // namespace warpmind::profilers
