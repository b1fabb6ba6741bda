#include "profilers/simulator/memory/device_memory.h"
#include "tests/unit/simulator/opcode_bench.h"

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

constexpr std::uint64_t kNan = 0x7fff'ffff;
constexpr std::uint64_t kMinusZero = 0x8000'0000;

TEST(MoveOpcodes, Copies) {
  expect_cases({
      {"mov.b16 %h0, %h1;", {0x1234}, 0x1234},
      {"mov.u32 %r0, %r1;", {0x1234'5678}, 0x1234'5678},
      {"mov.f32 %r0, 0f3F800000;", {}, 0x3f80'0000},
      {"mov.b64 %d0, %d1;", {~0ULL}, ~0ULL},
      {"mov.b128 %q0, %q1;", {77}, 77},
      {"mov.b32 %r0, {%h1, %h2};", {0x1111, 0x2222}, 0x2222'1111},
      {"mov.b64 %d0, {%r1, %r2};", {0x1111'1111, 0x2222'2222}, 0x2222'2222'1111'1111},
      {"mov.b64 %d0, {%h1, %h2, %h3, %h4};", {1, 2, 3, 4}, 0x0004'0003'0002'0001},
      {"mov.b32 %r0, {%h1, %h2, %h3, %h4};", {0xff01, 2, 3, 4}, 0x0403'0201},
      {"mov.b32 {%h0, %h2}, %r1;", {0x2222'1111}, 0x1111},
      {"mov.b32 {_, %h0}, %r1;", {0x2222'1111}, 0x2222},
      {"mov.b64 {%r2, %r0}, %d1;", {0x2222'2222'1111'1111}, 0x2222'2222},
      {"mov.b64 {%h2, %h3, %h4, %h0}, %d1;", {0x4444'3333'2222'1111}, 0x4444},
      {"mov.b128 {%d0, %d2}, %q1;", {99}, 99},
      {"mov.b128 %q0, {%d1, %d2};", {99, 1}, 99},
  });
}

TEST(MoveOpcodes, WideRegistersKeepBothWords) {
  OpcodeBench bench("mov.b128 %q0, {%d1, %d2};\nmov.b128 %q3, %q0;\nmov.b128 {%d4, %d5}, %q3;");
  ASSERT_EQ(bench.error(), "");
  for (int lane = 0; lane < kLanes; ++lane) {
    bench.write("%d1", lane, static_cast<std::uint64_t>(lane));
    bench.write("%d2", lane, static_cast<std::uint64_t>(lane) + 100);
  }
  bench.run();
  EXPECT_EQ(bench.bits("%d4", 5), 5U);
  EXPECT_EQ(bench.bits("%d5", 31), 131U);
}

TEST(MoveOpcodes, GenericAddresses) {
  expect_cases({
      {"cvta.to.global.u64 %d0, %d1;", {0x3000'0000'1234}, 0x3000'0000'1234},
      {"cvta.global.u64 %d0, %d1;", {0x3000'0000'1234}, 0x3000'0000'1234},
      {"cvta.const.u64 %d0, %d1;", {0x1234}, 0x1234},
      {"cvta.shared.u64 %d0, %d1;", {16}, kSharedWindow + 16},
      {"cvta.to.shared.u64 %d0, %d1;", {kSharedWindow + 16}, 16},
      {"cvta.local.u64 %d0, %d1;", {8}, kLocalWindow + 8},
      {"cvta.to.local.u64 %d0, %d1;", {kLocalWindow + 8}, 8},
      {"isspacep.shared %p0, %d1;", {kSharedWindow + 4}, 1},
      {"isspacep.shared %p0, %d1;", {kLocalWindow + 4}, 0},
      {"isspacep.local %p0, %d1;", {kLocalWindow}, 1},
      {"isspacep.global %p0, %d1;", {0x3000'0000'0000}, 1},
      {"isspacep.global %p0, %d1;", {kSharedWindow}, 0},
      {"isspacep.const %p0, %d1;", {0x3000'0000'0000}, 0},
  });
  EXPECT_EQ(OpcodeBench("cvta.param.u64 %d0, %d1;").error(),
            "cvta.param: a parameter has no generic address");
  EXPECT_EQ(OpcodeBench("cvta.global.u32 %r0, %r1;").error(), "the type .u32");
}

TEST(MoveOpcodes, Selections) {
  expect_cases({
      {"selp.b32 %r0, %r1, %r2, %p3;", {1, 2, 1}, 1},
      {"selp.b32 %r0, %r1, %r2, %p3;", {1, 2, 0}, 2},
      {"selp.f64 %d0, %d1, %d2, %p3;", {f64(1), f64(2), 0}, f64(2)},
      {"selp.u16 %h0, %h1, %h2, %p3;", {1, 2, 1}, 1},
      {"selp.u32 %r0, 1, 0, %p1;", {1}, 1},
      {"slct.u32.s32 %r0, %r1, %r2, %r3;", {1, 2, 0}, 1},
      {"slct.u32.s32 %r0, %r1, %r2, %r3;", {1, 2, 0xffff'ffff}, 2},
      {"slct.b64.f32 %d0, %d1, %d2, %r3;", {1, 2, kMinusZero}, 1},
      {"slct.f32.f32 %r0, %r1, %r2, %r3;", {1, 2, kNan}, 2},
      {"slct.ftz.u32.f32 %r0, %r1, %r2, %r3;", {1, 2, 0x8000'0001}, 1},
      {"slct.u32.f32 %r0, %r1, %r2, %r3;", {1, 2, 0x8000'0001}, 2},
  });
}

TEST(MoveOpcodes, SelectsLaneByLane) {
  OpcodeBench bench("selp.b32 %r0, %r1, %r2, %p3;");
  bench.fill("%r0", 9);
  bench.fill("%r1", 1);
  bench.fill("%r2", 2);
  bench.mask("%p3") = 0x0000'00f0;
  bench.run(0x0000'ffff);
  EXPECT_EQ(bench.bits("%r0", 0), 2U);
  EXPECT_EQ(bench.bits("%r0", 4), 1U);
  EXPECT_EQ(bench.bits("%r0", 16), 9U);
}

TEST(MoveOpcodes, ComparesIntegers) {
  expect_cases({
      {"setp.eq.s32 %p0, %r1, %r2;", {1, 1}, 1},
      {"setp.ne.b32 %p0, %r1, %r2;", {1, 1}, 0},
      {"setp.lt.s32 %p0, %r1, %r2;", {0xffff'ffff, 0}, 1},
      {"setp.lt.u32 %p0, %r1, %r2;", {0xffff'ffff, 0}, 0},
      {"setp.hi.u32 %p0, %r1, %r2;", {0xffff'ffff, 0}, 1},
      {"setp.ls.u64 %p0, %d1, %d2;", {5, 5}, 1},
      {"setp.lo.u16 %p0, %h1, %h2;", {5, 0xffff}, 1},
      {"setp.hs.u32 %p0, %r1, 5;", {4}, 0},
      {"setp.ge.s64 %p0, %d1, %d2;", {~0ULL, 0}, 0},
      {"setp.gt.s16 %p0, %h1, %h2;", {0x7fff, 0x8000}, 1},
      {"setp.le.u16 %p0, %h1, %h2;", {0x7fff, 0x8000}, 1},
  });
}

TEST(MoveOpcodes, ComparesFloatsWithNan) {
  expect_cases({
      {"setp.eq.f32 %p0, %r1, %r2;", {0, kMinusZero}, 1},
      {"setp.eq.f32 %p0, %r1, %r2;", {kNan, kNan}, 0},
      {"setp.ne.f32 %p0, %r1, %r2;", {kNan, 0}, 0},
      {"setp.neu.f32 %p0, %r1, %r2;", {kNan, 0}, 1},
      {"setp.equ.f32 %p0, %r1, %r2;", {kNan, 0}, 1},
      {"setp.lt.f32 %p0, %r1, %r2;", {kNan, 0}, 0},
      {"setp.ltu.f32 %p0, %r1, %r2;", {kNan, 0}, 1},
      {"setp.leu.f32 %p0, %r1, %r2;", {f32(1), 0}, 0},
      {"setp.gtu.f64 %p0, %d1, %d2;", {f64(1), f64(2)}, 0},
      {"setp.geu.f64 %p0, %d1, %d2;", {f64(1), 0x7ff8'0000'0000'0000}, 1},
      {"setp.num.f32 %p0, %r1, %r2;", {f32(1), kNan}, 0},
      {"setp.nan.f32 %p0, %r1, %r2;", {f32(1), kNan}, 1},
      {"setp.gt.f32 %p0, %r1, %r2;", {1, 0}, 1},
      {"setp.gt.ftz.f32 %p0, %r1, %r2;", {1, 0}, 0},
  });
}

TEST(MoveOpcodes, CombinesComparisons) {
  expect_cases({
      {"setp.lt.and.s32 %p0, %r1, %r2, %p3;", {1, 2, 0}, 0},
      {"setp.lt.and.s32 %p0, %r1, %r2, !%p3;", {1, 2, 0}, 1},
      {"setp.lt.or.s32 %p0, %r1, %r2, %p3;", {2, 1, 1}, 1},
      {"setp.lt.xor.s32 %p0, %r1, %r2, %p3;", {1, 2, 1}, 0},
  });
  OpcodeBench bench("setp.lt.and.s32 %p0|%p4, %r1, %r2, %p3;");
  ASSERT_EQ(bench.error(), "");
  for (int lane = 0; lane < kLanes; ++lane) bench.write("%r1", lane, static_cast<unsigned>(lane));
  bench.fill("%r2", 16);
  bench.mask("%p3") = 0x00ff'00ff;
  bench.mask("%p0") = 0xf000'0000;
  bench.run(0x0fff'ffff);
  EXPECT_EQ(bench.mask("%p0"), 0xf000'00ffU);
  EXPECT_EQ(bench.mask("%p4"), 0x00ff'0000U);  // (not less) and c
}

TEST(MoveOpcodes, SetsValues) {
  expect_cases({
      {"set.lt.u32.s32 %r0, %r1, %r2;", {1, 2}, 0xffff'ffff},
      {"set.lt.f32.f32 %r0, %r1, %r2;", {f32(1), f32(2)}, f32(1)},
      {"set.gtu.and.s32.f32 %r0, %r1, %r2, %p3;", {kNan, f32(2), 1}, 0xffff'ffff},
      {"set.gtu.and.s32.f32 %r0, %r1, %r2, !%p3;", {kNan, f32(2), 1}, 0},
      {"set.eq.f32.u64 %r0, %d1, %d2;", {7, 7}, f32(1)},
  });
}

/// Other values in each lane: the masks must have their bits in order.
TEST(MoveOpcodes, ComparesLaneByLane) {
  const std::vector<std::uint64_t> edges = {0, 1, 0x8000, 0xffff, 0x8000'0000'0000'0000, ~0ULL};
  expect_reference("setp.lt.u16 %p0, %h1, %h2;", 2, edges,
                   [](const auto& v) { return v[0] < v[1] ? 1U : 0U; });
  expect_reference("setp.le.u32 %p0, %r1, %r2;", 2, edges,
                   [](const auto& v) { return v[0] <= v[1] ? 1U : 0U; });
  expect_reference("setp.gt.s64 %p0, %d1, %d2;", 2, edges, [](const auto& v) {
    return static_cast<std::int64_t>(v[0]) > static_cast<std::int64_t>(v[1]) ? 1U : 0U;
  });
  expect_reference("mov.b64 %d0, {%r1, %r2};", 2, edges,
                   [](const auto& v) { return v[0] | (v[1] << 32U); });
  expect_reference("mov.b32 {%h2, %h0}, %r1;", 1, edges, [](const auto& v) { return v[0] >> 16U; });
}

TEST(MoveOpcodes, UnknownPartsAreNamed) {
  EXPECT_EQ(OpcodeBench("setp.num.s32 %p0, %r1, %r2;").error(), "the type .s32");
  EXPECT_EQ(OpcodeBench("setp.lo.s32 %p0, %r1, %r2;").error(), "an unsigned comparison of .s32");
  EXPECT_EQ(OpcodeBench("mov.b64 %d0, {%r1, %r2, %r3};").error(), "the type .b64");
}

}  // namespace
}  // namespace warpmind::simulator::test
