#include "tests/unit/simulator/opcode_bench.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

constexpr std::uint64_t kNan = 0x7fff'ffff;
constexpr std::uint64_t kSomeNan = 0xffc0'1234;
constexpr std::uint64_t kInfinity = 0x7f80'0000;
constexpr std::uint64_t kMinusZero = 0x8000'0000;
constexpr std::uint64_t kSubnormal = 0x0000'0001;
constexpr std::uint64_t kLeastNormal = 0x0080'0000;
constexpr std::uint64_t kGreatest = 0x7f7f'ffff;

float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// A sum that the compiler cannot compute beforehand.
float opaque_sum(float a, float b) {
  const volatile float first = a;
  const volatile float second = b;
  return first + second;
}

TEST(FloatOpcodes, ArithmeticAndCanonicalNan) {
  expect_cases({
      {"add.f32 %r0, %r1, %r2;", {f32(1), f32(2)}, f32(3)},
      {"add.f32 %r0, %r1, 0f3F800000;", {f32(1)}, f32(2)},
      {"add.f32 %r0, %r1, %r2;", {kInfinity, 0xff80'0000}, kNan},
      {"add.rn.f32 %r0, %r1, %r2;", {kSomeNan, f32(2)}, kNan},
      {"sub.f32 %r0, %r1, %r2;", {f32(0), f32(0)}, 0},
      {"sub.rm.f32 %r0, %r1, %r2;", {f32(1), f32(1)}, kMinusZero},
      {"mul.f32 %r0, %r1, %r2;", {kGreatest, f32(2)}, kInfinity},
      {"mul.rz.f32 %r0, %r1, %r2;", {kGreatest, f32(2)}, kGreatest},
      {"mul.rm.f32 %r0, %r1, %r2;", {kGreatest, f32(-2)}, 0xff80'0000},
      {"mul.rp.f32 %r0, %r1, %r2;", {kGreatest, f32(-2)}, 0xff7f'ffff},
      {"add.f64 %d0, %d1, %d2;", {f64(1), f64(0x1p-60)}, f64(1)},
      {"mul.f64 %d0, %d1, %d2;", {f64(3), f64(-7)}, f64(-21)},
      {"mad.rn.f32 %r0, %r1, %r2, %r3;", {f32(2), f32(3), f32(4)}, f32(10)},
  });
}

/// 1 + 2^-30 is not representable: each rounding has its own answer.
TEST(FloatOpcodes, DirectedRoundings) {
  const std::uint64_t tiny = f32(0x1p-30F);
  const std::uint64_t above = 0x3f80'0001;
  const std::uint64_t below_minus = 0xbf80'0001;
  expect_cases({
      {"add.rn.f32 %r0, %r1, %r2;", {f32(1), tiny}, f32(1)},
      {"add.rz.f32 %r0, %r1, %r2;", {f32(1), tiny}, f32(1)},
      {"add.rm.f32 %r0, %r1, %r2;", {f32(1), tiny}, f32(1)},
      {"add.rp.f32 %r0, %r1, %r2;", {f32(1), tiny}, above},
      {"add.rm.f32 %r0, %r1, %r2;", {f32(-1), f32(-0x1p-30F)}, below_minus},
      {"add.rz.f32 %r0, %r1, %r2;", {f32(-1), f32(-0x1p-30F)}, f32(-1)},
      {"sub.rz.f32 %r0, %r1, %r2;", {f32(1), tiny}, 0x3f7f'ffff},
      {"fma.rp.f32 %r0, %r1, %r2, %r3;", {f32(1), f32(1), tiny}, above},
      {"fma.rm.f32 %r0, %r1, %r2, %r3;", {f32(-1), f32(1), f32(-0x1p-30F)}, below_minus},
      {"fma.rz.f32 %r0, %r1, %r2, %r3;", {f32(1), f32(1), f32(-0x1p-30F)}, 0x3f7f'ffff},
      {"div.rn.f32 %r0, %r1, %r2;", {f32(1), f32(3)}, 0x3eaa'aaab},
      {"div.rz.f32 %r0, %r1, %r2;", {f32(1), f32(3)}, 0x3eaa'aaaa},
      {"div.rm.f32 %r0, %r1, %r2;", {f32(-1), f32(3)}, 0xbeaa'aaab},
      {"div.rp.f32 %r0, %r1, %r2;", {f32(-1), f32(3)}, 0xbeaa'aaaa},
      {"rcp.rz.f32 %r0, %r1;", {f32(3)}, 0x3eaa'aaaa},
      {"sqrt.rn.f32 %r0, %r1;", {f32(2)}, 0x3fb5'04f3},
      {"sqrt.rp.f32 %r0, %r1;", {f32(2)}, 0x3fb5'04f4},
      {"sqrt.rm.f64 %d0, %d1;", {f64(2)}, 0x3ff6'a09e'667f'3bcc},
      {"sqrt.rn.f64 %d0, %d1;", {f64(2)}, 0x3ff6'a09e'667f'3bcd},
      {"add.rp.f64 %d0, %d1, %d2;", {f64(1), f64(0x1p-60)}, 0x3ff0'0000'0000'0001},
      {"fma.rp.f64 %d0, %d1, %d2, %d3;", {f64(1), f64(1), f64(0x1p-80)}, 0x3ff0'0000'0000'0001},
      {"div.rz.f64 %d0, %d1, %d2;", {f64(2), f64(3)}, 0x3fe5'5555'5555'5555},
  });
  // The processor's rounding is what it was.
  EXPECT_EQ(f32(opaque_sum(1, 0x1p-30F)), f32(1));
}

/// f32 products are exact in double, and so is the check of the fused sum's sign.
TEST(FloatOpcodes, RoundedProductsBracketTheExactOne) {
  const std::vector<std::uint64_t> edges = {0,         kMinusZero, f32(1),
                                            f32(1.5F), f32(-3),    f32(0x1p20F)};
  const auto product = [](const std::vector<std::uint64_t>& v) {
    return static_cast<double>(as_float(v[0])) * static_cast<double>(as_float(v[1]));
  };
  const auto expect_bound = [&](const char* statement, int direction) {
    expect_reference(statement, 2, edges, [&](const auto& v) -> std::uint64_t {
      const double exact = product(v);
      if (std::isnan(exact)) return kNan;
      const auto nearest = static_cast<float>(exact);
      float result = nearest;
      if (direction > 0 && nearest < exact) {
        result = std::nextafter(nearest, std::numeric_limits<float>::infinity());
      }
      if (direction < 0 && nearest > exact) {
        result = std::nextafter(nearest, -std::numeric_limits<float>::infinity());
      }
      return f32(result);
    });
  };
  expect_bound("mul.rp.f32 %r0, %r1, %r2;", 1);
  expect_bound("mul.rm.f32 %r0, %r1, %r2;", -1);
}

TEST(FloatOpcodes, FusedIsRoundedOnce) {
  // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, which is lost when the product is rounded.
  expect_cases({
      {"fma.rn.f32 %r0, %r1, %r2, %r3;", {0x3f80'0001, 0x3f80'0001, 0xbf80'0002}, f32(0x1p-46F)},
      {"fma.rn.f64 %d0, %d1, %d2, %d3;",
       {f64(1 + 0x1p-52), f64(1 + 0x1p-52), f64(-1 - 0x1p-51)},
       f64(0x1p-104)},
  });
}

TEST(FloatOpcodes, FlushAndSaturate) {
  expect_cases({
      {"add.f32 %r0, %r1, %r2;", {kSubnormal, 0}, kSubnormal},
      {"add.ftz.f32 %r0, %r1, %r2;", {kSubnormal, 0}, 0},
      {"add.ftz.f32 %r0, %r1, %r2;", {0x8000'0001, kMinusZero}, kMinusZero},
      {"mul.f32 %r0, %r1, %r2;", {kLeastNormal, f32(0.5F)}, 0x0040'0000},
      {"mul.ftz.f32 %r0, %r1, %r2;", {kLeastNormal, f32(0.5F)}, 0},
      {"mul.ftz.f32 %r0, %r1, %r2;", {kLeastNormal, f32(-0.5F)}, kMinusZero},
      {"mul.rp.ftz.f32 %r0, %r1, %r2;", {kLeastNormal, f32(0.5F)}, 0},
      {"fma.rn.ftz.f32 %r0, %r1, %r2, %r3;", {kSubnormal, f32(1e30F), f32(1)}, f32(1)},
      {"add.sat.f32 %r0, %r1, %r2;", {f32(1), f32(2)}, f32(1)},
      {"add.sat.f32 %r0, %r1, %r2;", {f32(1), f32(-2)}, 0},
      {"add.ftz.sat.f32 %r0, %r1, %r2;", {kSomeNan, f32(-2)}, 0},
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3;", {f32(2), f32(0.125F), f32(0.25F)}, f32(0.5F)},
      {"mul.sat.f32 %r0, %r1, %r2;", {kMinusZero, f32(1)}, 0},
  });
}

TEST(FloatOpcodes, ExtremesAndNan) {
  expect_cases({
      {"min.f32 %r0, %r1, %r2;", {kSomeNan, f32(2)}, f32(2)},
      {"min.f32 %r0, %r1, %r2;", {f32(2), kSomeNan}, f32(2)},
      {"max.f32 %r0, %r1, %r2;", {kSomeNan, kSomeNan}, kNan},
      {"max.NaN.f32 %r0, %r1, %r2;", {kSomeNan, f32(2)}, kNan},
      {"min.f32 %r0, %r1, %r2;", {0, kMinusZero}, kMinusZero},
      {"min.f32 %r0, %r1, %r2;", {kMinusZero, 0}, kMinusZero},
      {"max.f32 %r0, %r1, %r2;", {0, kMinusZero}, 0},
      {"max.f32 %r0, %r1, %r2;", {kMinusZero, 0}, 0},
      {"max.ftz.f32 %r0, %r1, %r2;", {kSubnormal, f32(-1)}, 0},
      {"min.xorsign.abs.f32 %r0, %r1, %r2;", {f32(-3), f32(2)}, f32(-2)},
      {"max.xorsign.abs.f32 %r0, %r1, %r2;", {f32(-3), f32(-2)}, f32(3)},
      {"min.f64 %d0, %d1, %d2;", {f64(-1), f64(1)}, f64(-1)},
      {"max.f64 %d0, %d1, %d2;", {f64(std::nan("")), f64(1)}, f64(1)},
      {"abs.f32 %r0, %r1;", {f32(-2)}, f32(2)},
      {"abs.ftz.f32 %r0, %r1;", {0x8000'0001}, 0},
      {"neg.f32 %r0, %r1;", {0}, kMinusZero},
      {"neg.ftz.f32 %r0, %r1;", {kSubnormal}, kMinusZero},
      {"neg.f64 %d0, %d1;", {f64(2)}, f64(-2)},
      {"abs.f64 %d0, %d1;", {f64(-2)}, f64(2)},
      {"copysign.f32 %r0, %r1, %r2;", {f32(-1), f32(5)}, f32(-5)},
      {"copysign.f64 %d0, %d1, %d2;", {f64(1), f64(-5)}, f64(5)},
  });
}

TEST(FloatOpcodes, DivisionForms) {
  expect_cases({
      {"div.approx.f32 %r0, %r1, %r2;", {f32(6), f32(2)}, f32(3)},
      {"div.approx.f32 %r0, %r1, %r2;", {f32(6), f32(0x1.8p126F)}, 0},
      {"div.approx.f32 %r0, %r1, %r2;", {kInfinity, f32(0x1.8p126F)}, kNan},
      {"div.full.f32 %r0, %r1, %r2;", {f32(0x1p127F), f32(0x1p127F)}, f32(1)},
      {"div.approx.ftz.f32 %r0, %r1, %r2;", {kSubnormal, f32(1)}, 0},
      {"div.rn.f32 %r0, %r1, %r2;", {f32(1), kMinusZero}, 0xff80'0000},
      {"div.rn.f32 %r0, %r1, %r2;", {0, 0}, kNan},
      {"rcp.approx.f32 %r0, %r1;", {f32(4)}, f32(0.25F)},
      {"rcp.approx.ftz.f32 %r0, %r1;", {kSubnormal}, kInfinity},
      {"rcp.rn.f64 %d0, %d1;", {f64(4)}, f64(0.25)},
      {"rcp.approx.ftz.f64 %d0, %d1;", {f64(3)}, 0x3fd5'5555'0000'0000},
      {"sqrt.approx.f32 %r0, %r1;", {f32(9)}, f32(3)},
      {"sqrt.rn.f32 %r0, %r1;", {f32(-1)}, kNan},
      {"sqrt.rn.f32 %r0, %r1;", {kMinusZero}, kMinusZero},
      {"rsqrt.approx.f32 %r0, %r1;", {f32(16)}, f32(0.25F)},
      {"rsqrt.approx.f32 %r0, %r1;", {0}, kInfinity},
      {"rsqrt.approx.ftz.f64 %d0, %d1;", {f64(16)}, f64(0.25)},
  });
}

TEST(FloatOpcodes, SpecialFunctions) {
  expect_cases({
      {"ex2.approx.f32 %r0, %r1;", {f32(10)}, f32(1024)},
      {"ex2.approx.f32 %r0, %r1;", {f32(-149)}, kSubnormal},
      {"ex2.approx.f32 %r0, %r1;", {f32(-151)}, 0},
      {"ex2.approx.ftz.f32 %r0, %r1;", {f32(-140)}, 0},
      {"ex2.approx.f32 %r0, %r1;", {f32(128)}, kInfinity},
      {"ex2.approx.f32 %r0, %r1;", {0xff80'0000}, 0},
      {"ex2.approx.f32 %r0, %r1;", {kInfinity}, kInfinity},
      {"ex2.approx.f32 %r0, %r1;", {kSomeNan}, kNan},
      {"lg2.approx.f32 %r0, %r1;", {f32(8)}, f32(3)},
      {"lg2.approx.f32 %r0, %r1;", {0}, 0xff80'0000},
      {"lg2.approx.f32 %r0, %r1;", {f32(-1)}, kNan},
      {"lg2.approx.ftz.f32 %r0, %r1;", {kSubnormal}, 0xff80'0000},
      {"sin.approx.f32 %r0, %r1;", {0}, 0},
      {"cos.approx.f32 %r0, %r1;", {0}, f32(1)},
      {"sin.approx.f32 %r0, %r1;", {kInfinity}, kNan},
      {"tanh.approx.f32 %r0, %r1;", {f32(100)}, f32(1)},
  });
}

TEST(FloatOpcodes, ExponentialIsWithinTwoUlp) {
  OpcodeBench bench("ex2.approx.f32 %r0, %r1;");
  for (int round = 0; round < 400; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      bench.set("%r1", lane, -120.0F + 0.01913F * static_cast<float>(round * kLanes + lane));
    }
    bench.run();
    for (int lane = 0; lane < kLanes; ++lane) {
      const double exact = std::exp2(static_cast<double>(bench.get<float>("%r1", lane)));
      const double result = static_cast<double>(bench.get<float>("%r0", lane));
      ASSERT_LE(std::fabs(result / exact - 1), 0x1p-22) << bench.get<float>("%r1", lane);
    }
  }
}

TEST(FloatOpcodes, Properties) {
  expect_cases({
      {"testp.finite.f32 %p0, %r1;", {kGreatest}, 1},
      {"testp.finite.f32 %p0, %r1;", {kInfinity}, 0},
      {"testp.infinite.f32 %p0, %r1;", {0xff80'0000}, 1},
      {"testp.number.f32 %p0, %r1;", {kSomeNan}, 0},
      {"testp.notanumber.f64 %p0, %d1;", {f64(std::nan(""))}, 1},
      {"testp.normal.f32 %p0, %r1;", {kLeastNormal}, 1},
      {"testp.normal.f32 %p0, %r1;", {kSubnormal}, 0},
      {"testp.normal.f32 %p0, %r1;", {kInfinity}, 0},
      {"testp.subnormal.f32 %p0, %r1;", {0x8000'0001}, 1},
      {"testp.subnormal.f64 %p0, %d1;", {0}, 0},
  });
}

TEST(FloatOpcodes, UnknownPartsAreNamed) {
  EXPECT_EQ(OpcodeBench("add.rx.f32 %r0, %r1, %r2;").error(), "the modifier .rx");
  EXPECT_EQ(OpcodeBench("add.sat.f64 %d0, %d1, %d2;").error(), "the modifier .sat");
  EXPECT_EQ(OpcodeBench("sin.f32 %r0, %r1;").error(), "a form other than .approx");
}

TEST(FloatOpcodes, CountsFloatingPointWork) {
  OpcodeBench fused("fma.rn.f32 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(fused.info().flops, 2);
  EXPECT_EQ(fused.info().flop_kind, FlopKind::f32);
  EXPECT_EQ(fused.info().pipe, Pipe::fma);
  EXPECT_EQ(OpcodeBench("add.f64 %d0, %d1, %d2;").info().flop_kind, FlopKind::f64);
  EXPECT_EQ(OpcodeBench("min.f32 %r0, %r1, %r2;").info().flops, 0);
}

}  // namespace
}  // namespace warpmind::simulator::test
