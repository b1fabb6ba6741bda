#include "tests/unit/simulator/opcode_bench.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

constexpr std::uint64_t kNan = 0x7fff'ffff;
constexpr std::uint64_t kInfinity = 0x7f80'0000;

TEST(ConvertOpcodes, BetweenIntegers) {
  expect_cases({
      {"cvt.u64.u32 %d0, %r1;", {0xffff'ffff}, 0xffff'ffff},
      {"cvt.s64.s32 %d0, %r1;", {0xffff'ffff}, ~0ULL},
      {"cvt.u32.u64 %r0, %d1;", {0x1'2345'6789}, 0x2345'6789},
      {"cvt.s32.s16 %r0, %h1;", {0x8000}, 0xffff'8000},
      {"cvt.u16.u32 %h0, %r1;", {0x1'2345}, 0x2345},
      {"cvt.u32.u8 %r0, %h1;", {0x12ff}, 0xff},
      {"cvt.s32.s8 %r0, %h1;", {0x12ff}, 0xffff'ffff},
      {"cvt.s32.s8 %r0, %r1;", {0xffff'ff7f}, 0x7f},
      {"cvt.u8.u32 %h0, %r1;", {0x1ff}, 0xff},
      {"cvt.s8.s32 %h0, %r1;", {0x1ff}, 0xffff},
      {"cvt.s8.s32 %r0, %r1;", {0x1ff}, 0xffff'ffff},
      {"cvt.u8.u32 %d0, %r1;", {0x1ff}, 0xff},
      {"cvt.s64.s8 %d0, %d1;", {0x1280}, 0xffff'ffff'ffff'ff80},
      {"cvt.sat.u8.s32 %r0, %r1;", {0xffff'ffff}, 0},
      {"cvt.sat.u8.s32 %r0, %r1;", {300}, 255},
      {"cvt.sat.s8.s32 %r0, %r1;", {0xffff'ff00}, 0xffff'ff80},
      {"cvt.sat.s32.u32 %r0, %r1;", {0x8000'0000}, 0x7fff'ffff},
      {"cvt.sat.u32.s64 %r0, %d1;", {~0ULL}, 0},
      {"cvt.sat.s16.u64 %h0, %d1;", {~0ULL}, 0x7fff},
      {"cvt.sat.u64.s8 %d0, %h1;", {0x80}, 0},
  });
}

TEST(ConvertOpcodes, FloatToIntegerSaturates) {
  expect_cases({
      {"cvt.rzi.s32.f32 %r0, %r1;", {f32(-2.7F)}, 0xffff'fffe},
      {"cvt.rni.s32.f32 %r0, %r1;", {f32(2.5F)}, 2},
      {"cvt.rni.s32.f32 %r0, %r1;", {f32(3.5F)}, 4},
      {"cvt.rmi.s32.f32 %r0, %r1;", {f32(-2.1F)}, 0xffff'fffd},
      {"cvt.rpi.s32.f32 %r0, %r1;", {f32(-2.9F)}, 0xffff'fffe},
      {"cvt.rzi.s32.f32 %r0, %r1;", {f32(3e9F)}, 0x7fff'ffff},
      {"cvt.rzi.s32.f32 %r0, %r1;", {f32(-3e9F)}, 0x8000'0000},
      {"cvt.rzi.s32.f32 %r0, %r1;", {0xff80'0000}, 0x8000'0000},
      {"cvt.rzi.s32.f32 %r0, %r1;", {0xffc0'0000}, 0},
      {"cvt.rzi.u32.f32 %r0, %r1;", {f32(-1)}, 0},
      {"cvt.rzi.u32.f32 %r0, %r1;", {f32(3e9F)}, 3000000000},
      {"cvt.rzi.u32.f32 %r0, %r1;", {kInfinity}, 0xffff'ffff},
      {"cvt.rzi.s64.f32 %d0, %r1;", {0x7fc0'0000}, 0x8000'0000'0000'0000},
      {"cvt.rzi.u64.f32 %d0, %r1;", {0x7fc0'0000}, 0x8000'0000'0000'0000},
      {"cvt.rzi.u64.f32 %d0, %r1;", {f32(0x1p63F)}, 0x8000'0000'0000'0000},
      {"cvt.rzi.u64.f32 %d0, %r1;", {f32(0x1p65F)}, ~0ULL},
      {"cvt.rzi.s32.f64 %r0, %d1;", {f64(std::nan(""))}, 0x8000'0000},
      {"cvt.rzi.s32.f64 %r0, %d1;", {f64(2147483647.9)}, 0x7fff'ffff},
      {"cvt.rni.s64.f64 %d0, %d1;", {f64(-0.5)}, 0},
      {"cvt.rpi.s64.f64 %d0, %d1;", {f64(1e30)}, 0x7fff'ffff'ffff'ffff},
      {"cvt.rzi.u8.f32 %r0, %r1;", {f32(300)}, 255},
      {"cvt.rzi.s8.f32 %r0, %r1;", {f32(-300)}, 0xffff'ff80},
      {"cvt.rzi.u16.f32 %h0, %r1;", {f32(-3)}, 0},
      {"cvt.rpi.ftz.u32.f32 %r0, %r1;", {1}, 0},
      {"cvt.rpi.u32.f32 %r0, %r1;", {1}, 1},
      {"cvt.rzi.s32.f16 %r0, %h1;", {0xfc00}, 0x8000'0000},
      {"cvt.rni.s16.f16 %h0, %h1;", {0x3e00}, 2},
      {"cvt.rzi.sat.u8.f32 %h0, %r1;", {f32(77.5F)}, 77},
      {"cvt.rzi.u64.bf16 %d0, %h1;", {0x4040}, 3},
  });
}

TEST(ConvertOpcodes, IntegerToFloatRounds) {
  expect_cases({
      {"cvt.rn.f32.s32 %r0, %r1;", {0xffff'ffff}, f32(-1)},
      {"cvt.rn.f32.u32 %r0, %r1;", {0xffff'ffff}, f32(0x1p32F)},
      {"cvt.rz.f32.u32 %r0, %r1;", {0xffff'ffff}, 0x4f7f'ffff},
      {"cvt.rn.f32.u32 %r0, %r1;", {0x0100'0001}, f32(0x1p24F)},
      {"cvt.rp.f32.u32 %r0, %r1;", {0x0100'0001}, 0x4b80'0001},
      {"cvt.rm.f32.s32 %r0, %r1;", {0xfeff'ffff}, 0xcb80'0001},
      {"cvt.rn.f32.u64 %r0, %d1;", {~0ULL}, f32(0x1p64F)},
      {"cvt.rz.f32.u64 %r0, %d1;", {~0ULL}, 0x5f7f'ffff},
      {"cvt.rn.f64.s32 %d0, %r1;", {0x8000'0000}, f64(-0x1p31)},
      {"cvt.rn.f64.u64 %d0, %d1;", {0x8000'0000'0000'0401}, f64(0x1p63 + 2048)},
      {"cvt.rz.f64.u64 %d0, %d1;", {0x8000'0000'0000'07ff}, f64(0x1p63)},
      {"cvt.rn.f32.s8 %r0, %h1;", {0x80}, f32(-128)},
      {"cvt.sat.rn.f32.s32 %r0, %r1;", {7}, f32(1)},
      {"cvt.rn.f16.s32 %h0, %r1;", {2049}, 0x6800},
      {"cvt.rp.f16.s32 %h0, %r1;", {2049}, 0x6801},
      {"cvt.rn.f16.s64 %h0, %d1;", {70000}, 0x7c00},
      {"cvt.rz.f16.u32 %h0, %r1;", {70000}, 0x7bff},
      {"cvt.rn.f16.u16 %h0, %h1;", {3}, 0x4200},
      // A tie but for the lowest bit, which double would drop.
      {"cvt.rn.bf16.u64 %h0, %d1;", {0x8080'0000'0000'0001}, 0x5f01},
      {"cvt.rn.bf16.u64 %h0, %d1;", {0x8080'0000'0000'0000}, 0x5f00},
  });
}

TEST(ConvertOpcodes, BetweenFloats) {
  expect_cases({
      {"cvt.f64.f32 %d0, %r1;", {f32(1.5F)}, f64(1.5)},
      {"cvt.rn.f32.f64 %r0, %d1;", {f64(1 + 0x1p-30)}, f32(1)},
      {"cvt.rp.f32.f64 %r0, %d1;", {f64(1 + 0x1p-30)}, 0x3f80'0001},
      {"cvt.rm.f32.f64 %r0, %d1;", {f64(-1 - 0x1p-30)}, 0xbf80'0001},
      {"cvt.rz.f32.f64 %r0, %d1;", {f64(1e300)}, 0x7f7f'ffff},
      {"cvt.rn.f32.f64 %r0, %d1;", {f64(1e300)}, kInfinity},
      {"cvt.rn.f32.f64 %r0, %d1;", {f64(0x1p-149)}, 1},
      {"cvt.rn.ftz.f32.f64 %r0, %d1;", {f64(-0x1p-149)}, 0x8000'0000},
      {"cvt.rni.f32.f32 %r0, %r1;", {f32(2.5F)}, f32(2)},
      {"cvt.rmi.f32.f32 %r0, %r1;", {f32(-0.5F)}, f32(-1)},
      {"cvt.rpi.f32.f32 %r0, %r1;", {f32(-0.5F)}, 0x8000'0000},
      {"cvt.rzi.f64.f64 %d0, %d1;", {f64(-2.9)}, f64(-2)},
      {"cvt.sat.f32.f32 %r0, %r1;", {f32(1.5F)}, f32(1)},
      {"cvt.sat.f32.f32 %r0, %r1;", {0xffc0'0000}, 0},
      {"cvt.ftz.f32.f32 %r0, %r1;", {0x8000'0001}, 0x8000'0000},
  });
}

TEST(ConvertOpcodes, Halves) {
  expect_cases({
      {"cvt.f32.f16 %r0, %h1;", {0x3c00}, f32(1)},
      {"cvt.f32.f16 %r0, %h1;", {0x0001}, f32(0x1p-24F)},
      {"cvt.f32.f16 %r0, %h1;", {0xfe00}, kNan},
      {"cvt.f64.f16 %d0, %h1;", {0xc000}, f64(-2)},
      {"cvt.f32.bf16 %r0, %h1;", {0x3f80}, f32(1)},
      {"cvt.rn.f16.f32 %h0, %r1;", {f32(65519.996F)}, 0x7bff},
      {"cvt.rn.f16.f32 %h0, %r1;", {f32(65520)}, 0x7c00},
      {"cvt.rz.f16.f32 %h0, %r1;", {f32(1e6F)}, 0x7bff},
      {"cvt.rp.f16.f32 %h0, %r1;", {f32(1.0001F)}, 0x3c01},
      {"cvt.rm.f16.f32 %h0, %r1;", {f32(-1.0001F)}, 0xbc01},
      {"cvt.rn.f16.f32 %h0, %r1;", {0xffc0'0000}, 0x7fff},
      {"cvt.rn.f16.f32 %h0, %r1;", {f32(0x1p-25F)}, 0},
      {"cvt.rn.f16.f32 %h0, %r1;", {f32(0x1.8p-25F)}, 1},
      {"cvt.rn.relu.f16.f32 %h0, %r1;", {f32(-3)}, 0},
      {"cvt.rn.satfinite.f16.f32 %h0, %r1;", {kInfinity}, 0x7bff},
      {"cvt.sat.rn.f16.f32 %h0, %r1;", {f32(3)}, 0x3c00},
      // 2049 + 2^-30: a tie in float, above it in double.
      {"cvt.rn.f16.f64 %h0, %d1;", {f64(2049 + 0x1p-30)}, 0x6801},
      {"cvt.rn.bf16.f32 %h0, %r1;", {0x3f80'8000}, 0x3f80},
      {"cvt.rn.bf16.f32 %h0, %r1;", {0x3f81'8000}, 0x3f82},
      {"cvt.rz.bf16.f32 %h0, %r1;", {0x3f80'ffff}, 0x3f80},
      {"cvt.rn.bf16.f32 %h0, %r1;", {0x7f7f'ffff}, 0x7f80},
      {"cvt.rn.bf16.f32 %h0, %r1;", {0xff80'0001}, 0x7fff},
      {"cvt.rni.f16.f16 %h0, %h1;", {0x4100}, 0x4000},
      {"cvt.rn.bf16.f16 %h0, %h1;", {0x3c00}, 0x3f80},
  });
}

TEST(ConvertOpcodes, PairsOfHalves) {
  expect_cases({
      {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", {f32(1), f32(-2)}, 0x3c00'c000},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", {f32(1), f32(-2)}, 0x3f80'c000},
      {"cvt.rz.bf16x2.f32 %r0, %r1, %r2;", {0x3f80'ffff, 0xbf80'ffff}, 0x3f80'bf80},
      {"cvt.rn.relu.f16x2.f32 %r0, %r1, %r2;", {f32(1), f32(-2)}, 0x3c00'0000},
      {"cvt.rn.satfinite.f16x2.f32 %r0, %r1, %r2;", {kInfinity, f32(-1e9F)}, 0x7bff'fbff},
  });
}

TEST(ConvertOpcodes, Tf32) {
  expect_cases({
      {"cvt.rna.tf32.f32 %r0, %r1;", {0x3f80'1000}, 0x3f80'2000},
      {"cvt.rna.tf32.f32 %r0, %r1;", {0xbf80'1000}, 0xbf80'2000},
      {"cvt.rna.tf32.f32 %r0, %r1;", {0x3f80'0fff}, 0x3f80'0000},
      {"cvt.rn.tf32.f32 %r0, %r1;", {0x3f80'1000}, 0x3f80'0000},
      {"cvt.rz.tf32.f32 %r0, %r1;", {0x3f80'3fff}, 0x3f80'2000},
  });
}

TEST(ConvertOpcodes, EightBitFloats) {
  expect_cases({
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", {f32(1), f32(-2)}, 0x38c0},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", {f32(448), f32(1e9F)}, 0x7e7e},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", {kNan, f32(-0x1p-9F)}, 0x7f81},
      {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", {f32(57344), kInfinity}, 0x7b7b},
      {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", {f32(1), f32(0x1p-16F)}, 0x3c01},
      {"cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %r1, %r2;", {f32(-1), f32(2)}, 0x0040},
      {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", {0x3c00'c000}, 0x38c0},
      {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", {0x7e81}, 0x5f00'9800},
      {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", {0x7fff}, 0x7fff'7fff},
      {"cvt.rn.f16x2.e5m2x2 %r0, %h1;", {0x7c01}, 0x7c00'0100},
      {"cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;", {0xbc3c}, 0x0000'3c00},
  });
}

TEST(ConvertOpcodes, Pack) {
  expect_cases({
      {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", {0xffff'0000, 40000}, 0x8000'7fff},
      {"cvt.pack.sat.u16.s32 %r0, %r1, %r2;", {0xffff'ffff, 70000}, 0x0000'ffff},
      {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", {300, 0xffff'ffff, 0xabcd'1234}, 0x1234'ff00},
      {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;", {0xffff'ff00, 5, 1}, 0x0001'8005},
  });
}

TEST(ConvertOpcodes, LaneByLane) {
  const std::vector<std::uint64_t> edges = {0, 0x7f, 0x80, 0x8000, 0x7bff, 0xffff};
  expect_reference("cvt.s32.s8 %r0, %r1;", 1, edges, [](const auto& v) -> std::uint64_t {
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(v[0]));
  });
  expect_reference("cvt.u16.u64 %h0, %d1;", 1, edges, [](const auto& v) { return v[0] & 0xffffU; });
  expect_reference("cvt.s64.s16 %d0, %h1;", 1, edges, [](const auto& v) {
    return static_cast<std::uint64_t>(static_cast<std::int16_t>(v[0]));
  });
  expect_reference("cvt.rn.f32.s64 %r0, %d1;", 1, edges, [](const auto& v) {
    return f32(static_cast<float>(static_cast<std::int64_t>(v[0])));
  });
  expect_reference("cvt.rn.f16.u16 %h0, %h1;", 1, {0, 1, 2, 1024, 2047, 2048}, [](const auto& v) {
    // Above 2048 the last bits fall away: ties to even.
    std::uint64_t value = v[0];
    unsigned shift = 0;
    while ((value >> shift) >= 2048) ++shift;
    const std::uint64_t half = shift == 0 ? 0 : std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
    value >>= shift;
    if (shift != 0 && (rest > half || (rest == half && value % 2 == 1))) ++value;
    const double exact = std::ldexp(static_cast<double>(value), static_cast<int>(shift));
    if (exact > 65504) return std::uint64_t{0x7c00};
    if (exact == 0) return std::uint64_t{0};
    const int exponent = std::ilogb(exact);
    const double mantissa = std::ldexp(exact, 10 - exponent) - 1024;
    return (static_cast<std::uint64_t>(exponent + 15) << 10U) |
           static_cast<std::uint64_t>(mantissa);
  });
}

TEST(ConvertOpcodes, UnknownPartsAreNamed) {
  EXPECT_EQ(OpcodeBench("cvt.rn.f32.u128 %r0, %q1;").error(), "the type .u128");
  EXPECT_EQ(OpcodeBench("cvt.rn.foo.f32.s32 %r0, %r1;").error(), "the modifier .foo");
  EXPECT_EQ(OpcodeBench("cvt.rn.satfinite.e2m1x2.f32 %h0, %r1, %r2;").error(), "the type .e2m1x2");
}

}  // namespace
}  // namespace warpmind::simulator::test
