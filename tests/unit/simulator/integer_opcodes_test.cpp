#include "tests/unit/simulator/opcode_bench.h"

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

const std::vector<std::uint64_t> kEdges = {0,
                                           1,
                                           2,
                                           0x7fff,
                                           0x8000,
                                           0xffff,
                                           0x7fff'ffff,
                                           0x8000'0000,
                                           0xffff'ffff,
                                           0x7fff'ffff'ffff'ffff,
                                           0x8000'0000'0000'0000,
                                           0xffff'ffff'ffff'ffff};

std::int64_t s32(std::uint64_t bits) { return static_cast<std::int32_t>(bits); }
std::int64_t s64(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
std::uint64_t low32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

TEST(IntegerOpcodes, AddAndSubtractWrap) {
  expect_cases({
      {"add.u16 %h0, %h1, %h2;", {0xffff, 2}, 1},
      {"add.s32 %r0, %r1, %r2;", {0x7fff'ffff, 1}, 0x8000'0000},
      {"add.u32 %r0, %r1, -1;", {0}, 0xffff'ffff},
      {"add.s64 %d0, %d1, %d2;", {0xffff'ffff'ffff'ffff, 1}, 0},
      {"sub.s16 %h0, %h1, %h2;", {0x8000, 1}, 0x7fff},
      {"sub.u32 %r0, %r1, %r2;", {0, 1}, 0xffff'ffff},
      {"sub.u64 %d0, %d1, %d2;", {0, 1}, 0xffff'ffff'ffff'ffff},
      {"add.sat.s32 %r0, %r1, %r2;", {0x7fff'ffff, 1}, 0x7fff'ffff},
      {"add.sat.s32 %r0, %r1, %r2;", {0x8000'0000, 0xffff'ffff}, 0x8000'0000},
      {"sub.sat.s32 %r0, %r1, %r2;", {0x8000'0000, 1}, 0x8000'0000},
      {"sub.sat.s32 %r0, %r1, %r2;", {5, 7}, 0xffff'fffe},
      {"add.u16x2 %r0, %r1, %r2;", {0xffff'0001, 0x0001'ffff}, 0x0000'0000},
      {"add.s16x2 %r0, %r1, %r2;", {0x7fff'ffff, 0x0001'0001}, 0x8000'0000},
  });
}

TEST(IntegerOpcodes, Multiply) {
  expect_reference("mul.hi.s32 %r0, %r1, %r2;", 2, kEdges,
                   [](const auto& v) { return low32((s32(v[0]) * s32(v[1])) >> 32); });
  expect_reference("mul.hi.u32 %r0, %r1, %r2;", 2, kEdges,
                   [](const auto& v) { return (v[0] * v[1]) >> 32; });
  expect_reference("mul.lo.s32 %r0, %r1, %r2;", 2, kEdges,
                   [](const auto& v) { return (v[0] * v[1]) & 0xffff'ffffU; });
  expect_reference("mul.lo.u16 %h0, %h1, %h2;", 2, kEdges,
                   [](const auto& v) { return (v[0] * v[1]) & 0xffffU; });
  expect_reference("mul.hi.u64 %d0, %d1, %d2;", 2, kEdges, [](const auto& v) {
    return static_cast<std::uint64_t>((UnsignedWide{v[0]} * v[1]) >> 64U);
  });
  expect_reference("mul.hi.s64 %d0, %d1, %d2;", 2, kEdges, [](const auto& v) {
    return static_cast<std::uint64_t>((Wide{s64(v[0])} * s64(v[1])) >> 64U);
  });
  expect_reference("mul.lo.s64 %d0, %d1, %d2;", 2, kEdges,
                   [](const auto& v) { return v[0] * v[1]; });
  expect_cases({
      {"mul.hi.s16 %h0, %h1, %h2;", {0xffff, 0x7fff}, 0xffff},
      {"mul.hi.u16 %h0, %h1, %h2;", {0xffff, 0xffff}, 0xfffe},
      {"mul.wide.u16 %r0, %h1, %h2;", {0xffff, 0xffff}, 0xfffe'0001},
      {"mul.wide.s16 %r0, %h1, %h2;", {0xffff, 2}, 0xffff'fffe},
      {"mul.wide.u32 %d0, %r1, %r2;", {0xffff'ffff, 0xffff'ffff}, 0xffff'fffe'0000'0001},
      {"mul.wide.s32 %d0, %r1, 4;", {0xffff'ffff}, 0xffff'ffff'ffff'fffc},
  });
}

TEST(IntegerOpcodes, MultiplyAdd) {
  expect_reference("mad.hi.s32 %r0, %r1, %r2, %r3;", 3, kEdges, [](const auto& v) {
    return low32(((s32(v[0]) * s32(v[1])) >> 32) + s32(v[2]));
  });
  expect_reference("mad.lo.u64 %d0, %d1, %d2, %d3;", 3, kEdges,
                   [](const auto& v) { return v[0] * v[1] + v[2]; });
  expect_reference("mad.wide.s32 %d0, %r1, %r2, %d3;", 3, kEdges, [](const auto& v) {
    return static_cast<std::uint64_t>(s32(v[0]) * s32(v[1])) + v[2];
  });
  expect_cases({
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", {3, 0xffff'ffff, 1}, 0xffff'fffe},
      {"mad.lo.s16 %h0, %h1, %h2, %h3;", {0x100, 0x100, 7}, 7},
      {"mad.wide.u16 %r0, %h1, %h2, %r3;", {0xffff, 0xffff, 0xffff'ffff}, 0xfffe'0000},
      {"mad.wide.u32 %d0, %r1, 8, %d2;", {0x8000'0000, 5}, 0x4'0000'0005},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", {0x8000'0000, 0x8000'0000, 0x7fff'0000}, 0x7fff'ffff},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", {0x8000'0000, 0x4000'0000, 5}, 0xe000'0005},
  });
}

TEST(IntegerOpcodes, Multiply24UsesLowBits) {
  expect_cases({
      {"mul24.lo.u32 %r0, %r1, %r2;", {0xff00'0003, 5}, 15},
      {"mul24.lo.s32 %r0, %r1, %r2;", {0x00ff'ffff, 5}, 0xffff'fffb},
      {"mul24.hi.u32 %r0, %r1, %r2;", {0x00ff'ffff, 0x00ff'ffff}, 0xffff'fe00},
      {"mul24.hi.s32 %r0, %r1, %r2;", {0x0080'0000, 0x0080'0000}, 0x4000'0000},
      {"mad24.lo.s32 %r0, %r1, %r2, %r3;", {0x00ff'ffff, 5, 6}, 1},
      {"mad24.hi.u32 %r0, %r1, %r2, %r3;", {0x00ff'ffff, 0x00ff'ffff, 0x200}, 0},
      {"mad24.hi.sat.s32 %r0, %r1, %r2, %r3;",
       {0x0080'0000, 0x0080'0000, 0x7fff'ffff},
       0x7fff'ffff},
  });
}

TEST(IntegerOpcodes, DivideNeverTraps) {
  expect_cases({
      {"div.u32 %r0, %r1, %r2;", {7, 0}, 0xffff'ffff},
      {"div.s32 %r0, %r1, %r2;", {7, 0}, 0xffff'ffff},
      {"div.s32 %r0, %r1, %r2;", {0x8000'0000, 0xffff'ffff}, 0x8000'0000},
      {"div.s32 %r0, %r1, %r2;", {0xffff'fff9, 2}, 0xffff'fffd},
      {"div.u16 %h0, %h1, %h2;", {0xffff, 0x10}, 0xfff},
      {"div.s16 %h0, %h1, %h2;", {0x8000, 0xffff}, 0x8000},
      {"div.s64 %d0, %d1, %d2;", {0x8000'0000'0000'0000, ~0ULL}, 0x8000'0000'0000'0000},
      {"div.u64 %d0, %d1, %d2;", {1, 0}, ~0ULL},
      {"rem.u32 %r0, %r1, %r2;", {7, 0}, 7},
      {"rem.s32 %r0, %r1, %r2;", {0x8000'0000, 0xffff'ffff}, 0},
      {"rem.s32 %r0, %r1, %r2;", {0xffff'fff9, 2}, 0xffff'ffff},
      {"rem.s64 %d0, %d1, %d2;", {0x8000'0000'0000'0000, ~0ULL}, 0},
      {"rem.u64 %d0, %d1, %d2;", {100, 7}, 2},
  });
}

TEST(IntegerOpcodes, SignsAndExtremes) {
  expect_cases({
      {"abs.s32 %r0, %r1;", {0x8000'0000}, 0x8000'0000},
      {"abs.s32 %r0, %r1;", {0xffff'fffe}, 2},
      {"abs.s16 %h0, %h1;", {0xffff}, 1},
      {"abs.s64 %d0, %d1;", {~0ULL}, 1},
      {"neg.s32 %r0, %r1;", {1}, 0xffff'ffff},
      {"neg.s64 %d0, %d1;", {0x8000'0000'0000'0000}, 0x8000'0000'0000'0000},
      {"neg.s16 %h0, %h1;", {1}, 0xffff},
      {"min.s32 %r0, %r1, %r2;", {0xffff'ffff, 0}, 0xffff'ffff},
      {"min.u32 %r0, %r1, %r2;", {0xffff'ffff, 0}, 0},
      {"max.s64 %d0, %d1, %d2;", {~0ULL, 0}, 0},
      {"max.u64 %d0, %d1, %d2;", {~0ULL, 0}, ~0ULL},
      {"min.s16 %h0, %h1, %h2;", {0x8000, 1}, 0x8000},
      {"max.u16 %h0, %h1, %h2;", {0x8000, 1}, 0x8000},
      {"min.u16x2 %r0, %r1, %r2;", {0xffff'0001, 0x0001'ffff}, 0x0001'0001},
      {"min.s16x2 %r0, %r1, %r2;", {0xffff'0001, 0x0001'ffff}, 0xffff'ffff},
      {"max.s16x2 %r0, %r1, %r2;", {0xffff'0001, 0x0001'ffff}, 0x0001'0001},
      {"min.s32.relu %r0, %r1, %r2;", {0xffff'ffff, 5}, 0},
      {"max.relu.s32 %r0, %r1, %r2;", {0xffff'ffff, 0xffff'fff0}, 0},
      {"min.relu.s16x2 %r0, %r1, %r2;", {0xffff'0005, 0x0001'0003}, 0x0000'0003},
      {"sad.s32 %r0, %r1, %r2, %r3;", {0xffff'ffff, 4, 10}, 15},
      {"sad.u32 %r0, %r1, %r2, %r3;", {0xffff'ffff, 4, 10}, 5},
      {"sad.u64 %d0, %d1, %d2, %d3;", {1, 5, 1}, 5},
      {"sad.u16 %h0, %h1, %h2, %h3;", {1, 5, 1}, 5},
  });
}

/// Two 128-bit numbers added word by word agree with the sum.
TEST(IntegerOpcodes, CarryChains) {
  OpcodeBench bench(
      "add.cc.u32 %r0, %r4, %r6;\naddc.cc.u32 %r1, %r5, %r7;\naddc.u32 %r2, %r8, %r9;");
  ASSERT_EQ(bench.error(), "");
  bench.fill("%r4", 0xffff'ffff);
  bench.fill("%r5", 0xffff'ffff);
  bench.fill("%r6", 1);
  bench.set<std::uint32_t>("%r6", 7, 0);  // no carry in lane 7
  bench.run();
  EXPECT_EQ(bench.bits("%r0", 0), 0U);
  EXPECT_EQ(bench.bits("%r1", 0), 0U);
  EXPECT_EQ(bench.bits("%r2", 0), 1U);
  EXPECT_EQ(bench.bits("%r0", 7), 0xffff'ffffU);
  EXPECT_EQ(bench.bits("%r1", 7), 0xffff'ffffU);
  EXPECT_EQ(bench.bits("%r2", 7), 0U);

  expect_reference("{ sub.cc.u32 %r3, %r1, %r2; subc.u32 %r0, %r1, 0; }", 2, kEdges,
                   [](const auto& v) { return low32(s64(v[0]) - (v[0] < v[1] ? 1 : 0)); });
  expect_reference("{ add.cc.u64 %d3, %d1, %d2; addc.u64 %d0, 0, 0; }", 2, kEdges,
                   [](const auto& v) { return v[0] + v[1] < v[0] ? 1U : 0U; });
  expect_reference("{ mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0; }", 3, kEdges,
                   [](const auto& v) { return (v[0] * v[1] + v[2]) >> 32U; });
  expect_reference("{ sub.cc.s32 %r3, %r1, %r2; subc.cc.s32 %r4, 0, 0; subc.s32 %r0, 0, 0; }", 2,
                   kEdges, [](const auto& v) { return v[0] < v[1] ? 0xffff'ffffU : 0U; });
}

TEST(IntegerOpcodes, CarryOfInactiveLanesStays) {
  OpcodeBench bench("add.cc.u32 %r0, %r1, %r2;");
  ASSERT_EQ(bench.error(), "");
  bench.fill("%r1", 0xffff'ffff);
  bench.fill("%r2", 1);
  bench.run(0x0000'ffff);
  EXPECT_EQ(bench.warp().carry, 0x0000'ffffU);
  bench.fill("%r2", 0);
  bench.run(0x0000'00ff);
  EXPECT_EQ(bench.warp().carry, 0x0000'ff00U);
}

TEST(IntegerOpcodes, DotProducts) {
  expect_cases({
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0xff'02'03'80, 0x01'02'03'02, 10}, 0xffff'ff16},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", {0xffff'ffff, 0xffff'ffff, 1}, 4 * 255 * 255 + 1},
      {"dp4a.u32.s32 %r0, %r1, %r2, %r3;", {0xffff'ffff, 0xffff'ffff, 0}, 0xffff'fc04},
      {"dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;", {0xffff'0003, 0x7f7f'02ff, 0}, 0xffff'fffb},
      {"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", {0xffff'0003, 0x0201'0000, 4}, 0x2'0005},
      {"vabsdiff.u32.u32.u32 %r0, %r1, %r2;", {3, 10}, 7},
      {"vabsdiff.s32.s32.s32.sat %r0, %r1, %r2;", {0x8000'0000, 0x7fff'ffff}, 0x7fff'ffff},
      {"vabsdiff.u32.u32.u32.add %r0, %r1, %r2, %r3;", {3, 10, 100}, 107},
      {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", {0x01'ff'03'05, 0x04'00'03'01, 7}, 269},
      {"vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;",
       {0x01'ff'03'05, 0x04'00'03'01, 9},
       0x03'ff'00'04},
      {"vabsdiff2.s32.s32.s32.add %r0, %r1, %r2, %r3;", {0xffff'0001, 0x0001'0004, 0}, 5},
  });
}

TEST(IntegerOpcodes, UnknownPartsAreNamed) {
  EXPECT_EQ(OpcodeBench("add.foo.s32 %r0, %r1, %r2;").error(), "the modifier .foo");
  EXPECT_EQ(OpcodeBench("mul24.lo.u16 %r0, %r1, %r2;").error(), "the type .u16");
  EXPECT_EQ(OpcodeBench("add.s32 %r0, %r1, %r2, %r3;").error(), "operand 4");
  EXPECT_EQ(OpcodeBench("add.s32 %r0, %r1;").error(), "operand 3, which is missing");
  EXPECT_NE(OpcodeBench("add.s32 %r0, %d1, %r2;").error(), "");
}

TEST(IntegerOpcodes, CostsArePlausible) {
  OpcodeBench add("add.s32 %r0, %r1, %r2;");
  EXPECT_EQ(add.info().pipe, Pipe::alu);
  EXPECT_EQ(add.info().flops, 0);
  OpcodeBench multiply("mad.lo.s32 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(multiply.info().pipe, Pipe::integer_multiply);
  EXPECT_GT(OpcodeBench("div.s32 %r0, %r1, %r2;").info().cost, 10);
}

}  // namespace
}  // namespace warpmind::simulator::test
