#include "tests/unit/simulator/opcode_bench.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

// f16: 1 = 3c00, 2 = 4000, 65504 = 7bff, infinity = 7c00, least normal = 0400. bf16: 1 = 3f80.

TEST(HalfOpcodes, Arithmetic) {
  expect_cases({
      {"add.f16 %h0, %h1, %h2;", {0x3c00, 0x4000}, 0x4200},
      {"sub.f16 %h0, %h1, %h2;", {0x3c00, 0x3c00}, 0},
      {"mul.f16 %h0, %h1, %h2;", {0x4200, 0xc000}, 0xc600},
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x4200, 0x4000, 0x3c00}, 0x4700},
      {"add.rn.bf16 %h0, %h1, %h2;", {0x3f80, 0x4000}, 0x4040},
      {"mul.rn.bf16 %h0, %h1, %h2;", {0x4040, 0xc000}, 0xc0c0},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x4040, 0x4000, 0x3f80}, 0x40e0},
      {"add.f16x2 %r0, %r1, %r2;", {0x3c00'4000, 0x4000'4000}, 0x4200'4400},
      {"sub.rn.bf16x2 %r0, %r1, %r2;", {0x3f80'4000, 0x3f80'3f80}, 0x0000'3f80},
      {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", {0x4200'3c00, 0x4000'3c00, 0x3c00'3c00}, 0x4700'4000},
  });
}

TEST(HalfOpcodes, OverflowTiesAndNan) {
  expect_cases({
      {"add.f16 %h0, %h1, %h2;", {0x7bff, 0x4b00}, 0x7bff},  // 65504 + 14: below the tie
      {"add.f16 %h0, %h1, %h2;", {0x7bff, 0x4c00}, 0x7c00},  // 65504 + 16: the tie goes up
      {"add.f16 %h0, %h1, %h2;", {0x6800, 0x3c00}, 0x6800},  // 2048 + 1: to even
      {"add.f16 %h0, %h1, %h2;", {0x6801, 0x3c00}, 0x6802},  // 2050 + 1: to even
      {"mul.f16 %h0, %h1, %h2;", {0x7bff, 0x4000}, 0x7c00},
      {"mul.f16 %h0, %h1, %h2;", {0x0001, 0x3800}, 0x0000},  // half of the least: to even
      {"mul.f16 %h0, %h1, %h2;", {0x0003, 0x3800}, 0x0002},
      {"add.f16 %h0, %h1, %h2;", {0x7c00, 0xfc00}, 0x7fff},
      {"add.f16 %h0, %h1, %h2;", {0xfe01, 0x3c00}, 0x7fff},
      {"add.bf16 %h0, %h1, %h2;", {0x4380, 0x3f80}, 0x4380},  // 256 + 1: to even
      {"add.bf16 %h0, %h1, %h2;", {0x4381, 0x3f80}, 0x4382},
      {"mul.bf16 %h0, %h1, %h2;", {0x7f7f, 0x4000}, 0x7f80},
      {"add.bf16 %h0, %h1, %h2;", {0xffc1, 0x3f80}, 0x7fff},
  });
}

/// Cases where a rounding to float first would give another answer than one rounding.
TEST(HalfOpcodes, OneRounding) {
  expect_cases({
      // 683 * 3 = 2049, a tie; the least subnormal number decides, though a float drops it.
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x6156, 0x4200, 0x0001}, 0x6801},
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x6156, 0x4200, 0x8001}, 0x6800},
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x6156, 0x4200, 0x0000}, 0x6800},
      // bf16: 7 * 37 = 259 is a tie, which 2^-100 decides.
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x40e0, 0x4214, 0x0000}, 0x4382},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x40e0, 0x4214, 0x8d80}, 0x4381},
      // Half of the least number is a tie; the float's range ends before what decides it.
      {"mul.bf16 %h0, %h1, %h2;", {0x0001, 0x3f01}, 0x0001},
      {"mul.bf16 %h0, %h1, %h2;", {0x0001, 0x3f00}, 0x0000},
  });
}

double half(std::uint64_t bits) {
  const auto code = static_cast<unsigned>(bits & 0x7fffU);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (code < 0x400) return sign * std::ldexp(code, -24);
  return sign * std::ldexp((code & 0x3ffU) + 1024, static_cast<int>(code >> 10U) - 25);
}

/// The nearest f16 of a long double (64 bits: exact for these sums), by search among neighbours.
std::uint64_t nearest_half(long double exact) {
  std::uint64_t low = 0;
  std::uint64_t high = 0x7bff;
  const long double size = std::fabs(exact);
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (static_cast<long double>(half(middle)) <= size) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const long double below = size - static_cast<long double>(half(low));
  const long double step = std::ldexp(1.0L, std::max(static_cast<int>(low >> 10U), 1) - 25);
  const bool is_up = below > step / 2 || (below == step / 2 && (low & 1U) != 0);
  const std::uint64_t sign = std::signbit(exact) ? 0x8000U : 0U;
  return sign | (low + (is_up ? 1U : 0U));
}

TEST(HalfOpcodes, FusedAgreesWithExactArithmetic) {
  // Exponents are kept near each other, so that 64 bits hold the exact sum.
  const auto tame = [](std::uint64_t bits) { return (bits & 0x8fffU) | 0x3000U; };
  OpcodeBench bench("fma.rn.f16 %h0, %h1, %h2, %h3;");
  std::uint64_t state = 1;
  const auto random = [&] {
    return state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  };
  for (int round = 0; round < 500; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (const char* name : {"%h1", "%h2", "%h3"}) {
        bench.write(name, lane, tame(random() >> 40U));
      }
    }
    bench.run();
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto value = [&](const char* name) {
        return static_cast<long double>(half(bench.bits(name, lane)));
      };
      const long double exact = value("%h1") * value("%h2") + value("%h3");
      ASSERT_EQ(bench.bits("%h0", lane), nearest_half(exact))
          << static_cast<double>(value("%h1")) << " * " << static_cast<double>(value("%h2"))
          << " + " << static_cast<double>(value("%h3"));
    }
  }
}

/// Where a factor is infinite, or a product beyond the float's range.
TEST(HalfOpcodes, WideProducts) {
  expect_cases({
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0xff80, 0x3f80, 0x3f80}, 0xff80},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x7f80, 0x0000, 0x3f80}, 0x7fff},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x7f00, 0x4000, 0xff7f}, 0x7b80},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x7f00, 0x7f00, 0xff80}, 0xff80},
      {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", {0x0001'3f80, 0x3f00'4000, 0x0001'3f80}, 0x0002'4040},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x0001, 0x0001, 0x3f80}, 0x3f80},
  });
}

TEST(HalfOpcodes, ClampsAndFlushes) {
  expect_cases({
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {0x4200, 0xc000, 0x3c00}, 0},
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {0x7e00, 0xc000, 0x3c00}, 0x7fff},
      {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", {0x4040'4040, 0xc000'4000, 0x3f80'3f80}, 0x40e0},
      {"add.sat.f16 %h0, %h1, %h2;", {0x3c00, 0x4000}, 0x3c00},
      {"add.sat.f16x2 %r0, %r1, %r2;", {0x7e00'bc00, 0x4000'0000}, 0},
      {"add.f16 %h0, %h1, %h2;", {0x0001, 0x0001}, 0x0002},
      {"add.ftz.f16 %h0, %h1, %h2;", {0x0001, 0x0001}, 0},
      {"mul.ftz.f16 %h0, %h1, %h2;", {0x0400, 0xb800}, 0x8000},
      {"fma.rn.ftz.f16x2 %r0, %r1, %r2, %r3;",
       {0x0001'0400, 0x3c00'3c00, 0x3c00'0000},
       0x3c00'0400},
  });
}

TEST(HalfOpcodes, Selections) {
  expect_cases({
      {"min.f16 %h0, %h1, %h2;", {0x7e00, 0x4000}, 0x4000},
      {"max.NaN.f16 %h0, %h1, %h2;", {0x7e00, 0x4000}, 0x7fff},
      {"min.f16x2 %r0, %r1, %r2;", {0x0000'3c00, 0x8000'4000}, 0x8000'3c00},
      {"max.bf16x2 %r0, %r1, %r2;", {0x8000'3f80, 0x0000'4000}, 0x0000'4000},
      {"max.xorsign.abs.bf16 %h0, %h1, %h2;", {0xbf80, 0x4000}, 0xc000},
      {"max.NaN.xorsign.abs.f16x2 %r0, %r1, %r2;", {0xbc00'bc00, 0x4000'b800}, 0xc000'3c00},
      {"abs.f16 %h0, %h1;", {0xc000}, 0x4000},
      {"abs.bf16x2 %r0, %r1;", {0xbf80'3f80}, 0x3f80'3f80},
      {"neg.f16x2 %r0, %r1;", {0x0000'3c00}, 0x8000'bc00},
      {"neg.bf16 %h0, %h1;", {0x3f80}, 0xbf80},
      {"neg.ftz.f16 %h0, %h1;", {0x0001}, 0x8000},
  });
}

TEST(HalfOpcodes, SpecialFunctions) {
  expect_cases({
      {"ex2.approx.f16 %h0, %h1;", {0x4200}, 0x4800},
      {"ex2.approx.f16x2 %r0, %r1;", {0xbc00'0000}, 0x3800'3c00},
      {"ex2.approx.ftz.bf16 %h0, %h1;", {0x4040}, 0x4100},
      {"tanh.approx.f16 %h0, %h1;", {0x7c00}, 0x3c00},
      {"tanh.approx.bf16x2 %r0, %r1;", {0xff80'0000}, 0xbf80'0000},
  });
}

TEST(HalfOpcodes, Comparisons) {
  expect_cases({
      {"setp.lt.f16 %p0, %h1, %h2;", {0x3c00, 0x4000}, 1},
      {"setp.lt.f16 %p0, %h1, %h2;", {0x7e00, 0x4000}, 0},
      {"setp.ltu.f16 %p0, %h1, %h2;", {0x7e00, 0x4000}, 1},
      {"setp.eq.bf16 %p0, %h1, %h2;", {0x0000, 0x8000}, 1},
      {"setp.gt.ftz.f16 %p0, %h1, %h2;", {0x0001, 0x0000}, 0},
      {"set.gt.f16.f16 %h0, %h1, %h2;", {0x4000, 0x3c00}, 0x3c00},
      {"set.gt.u32.f16 %r0, %h1, %h2;", {0x4000, 0x3c00}, 0xffff'ffff},
      {"set.lt.f16x2.f16x2 %r0, %r1, %r2;", {0x3c00'4000, 0x4000'3c00}, 0x3c00'0000},
      {"set.lt.u32.bf16x2 %r0, %r1, %r2;", {0x4000'3f80, 0x3f80'4000}, 0x0000'ffff},
  });
  OpcodeBench bench("setp.lt.f16x2 %p0|%p3, %r1, %r2;");
  ASSERT_EQ(bench.error(), "");
  bench.fill("%r1", 0x3c00'4000);
  bench.fill("%r2", 0x4000'3c00);
  bench.run(0xff);
  EXPECT_EQ(bench.mask("%p0"), 0U);     // of the low halves
  EXPECT_EQ(bench.mask("%p3"), 0xffU);  // of the high halves
}

TEST(HalfOpcodes, PairsCountTwice) {
  OpcodeBench bench("fma.rn.f16x2 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(bench.info().flops, 4);
  EXPECT_EQ(bench.info().flop_kind, FlopKind::f16);
  EXPECT_EQ(OpcodeBench("add.rz.f16 %h0, %h1, %h2;").error(), "the modifier .rz");
}

}  // namespace
}  // namespace warpmind::simulator::test
