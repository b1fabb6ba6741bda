#include "tests/unit/simulator/opcode_bench.h"

#include <bit>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

std::uint32_t lane_value(int lane) { return 100 + static_cast<std::uint32_t>(lane); }

void number_lanes(OpcodeBench& bench, const std::string& name) {
  for (int lane = 0; lane < kLanes; ++lane) bench.set(name, lane, lane_value(lane));
}

TEST(WarpOpcodes, ShuffleDown) {
  OpcodeBench bench("shfl.sync.down.b32 %r0|%p0, %r1, 4, 31, -1;");
  ASSERT_EQ(bench.error(), "");
  number_lanes(bench, "%r1");
  bench.run();
  EXPECT_EQ(bench.bits("%r0", 0), lane_value(4));
  EXPECT_EQ(bench.bits("%r0", 27), lane_value(31));
  EXPECT_EQ(bench.bits("%r0", 28), lane_value(28));  // out of range: its own
  EXPECT_EQ(bench.mask("%p0"), 0x0fff'ffffU);
  EXPECT_EQ(bench.warp().floor, 2U);
  EXPECT_TRUE(bench.checks().empty());
}

TEST(WarpOpcodes, ShuffleUpStaysInItsSegment) {
  // Segments of 8 lanes: mask 0x18, clamp 0.
  OpcodeBench bench("shfl.sync.up.b32 %r0|%p0, %r1, 3, 0x1800, -1;");
  number_lanes(bench, "%r1");
  bench.run();
  EXPECT_EQ(bench.bits("%r0", 11), lane_value(8));
  EXPECT_EQ(bench.bits("%r0", 10), lane_value(10));
  EXPECT_EQ(bench.bits("%r0", 31), lane_value(28));
  EXPECT_EQ(bench.mask("%p0"), 0xf8f8'f8f8U);
}

TEST(WarpOpcodes, ShuffleDownStaysInItsSegment) {
  OpcodeBench bench("shfl.sync.down.b32 %r0, %r1, 3, 0x181f, -1;");
  number_lanes(bench, "%r1");
  bench.run();
  EXPECT_EQ(bench.bits("%r0", 4), lane_value(7));
  EXPECT_EQ(bench.bits("%r0", 5), lane_value(5));
}

TEST(WarpOpcodes, ShuffleButterflyAndIndex) {
  OpcodeBench butterfly("shfl.sync.bfly.b32 %r0|%p0, %r1, 16, 31, -1;");
  number_lanes(butterfly, "%r1");
  butterfly.run();
  EXPECT_EQ(butterfly.bits("%r0", 3), lane_value(19));
  EXPECT_EQ(butterfly.bits("%r0", 31), lane_value(15));
  EXPECT_EQ(butterfly.mask("%p0"), kAllLanes);

  OpcodeBench index("shfl.sync.idx.b32 %r0|%p0, %r1, %r2, 0x181f, -1;");
  number_lanes(index, "%r1");
  index.fill("%r2", 2);
  index.run();
  EXPECT_EQ(index.bits("%r0", 0), lane_value(2));
  EXPECT_EQ(index.bits("%r0", 15), lane_value(10));  // 2 of its segment
  EXPECT_EQ(index.bits("%r0", 31), lane_value(26));
}

TEST(WarpOpcodes, ShuffleMayOverwriteItsSource) {
  OpcodeBench bench("shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;");
  number_lanes(bench, "%r1");
  bench.run();
  EXPECT_EQ(bench.bits("%r1", 0), lane_value(1));
  EXPECT_EQ(bench.bits("%r1", 1), lane_value(0));
}

TEST(WarpOpcodes, ShuffleFromInactiveLaneIsReported) {
  OpcodeBench bench("shfl.sync.idx.b32 %r0, %r1, 16, 31, 0xffff;");
  number_lanes(bench, "%r1");
  bench.run(0x0000'ffff);
  EXPECT_EQ(bench.bits("%r0", 15), lane_value(15));
  ASSERT_EQ(bench.checks().size(), 1U);
  const CheckEntry entry = bench.checks().front();
  EXPECT_EQ(entry.kind, CheckKind::inactive_lane);
  EXPECT_EQ(entry.thread[0], 0U);
  EXPECT_EQ(entry.detail, "lane 0 reads a value of lane 16, which does not run this instruction");
}

TEST(WarpOpcodes, AReductionMayReachPastTheLanesItNames) {  // if (t < 16) shfl_down(0xffff, …)
  OpcodeBench bench("shfl.sync.down.b32 %r0, %r1, 1, 31, 0xffff;");
  number_lanes(bench, "%r1");
  bench.run(0x0000'ffff);
  EXPECT_EQ(bench.bits("%r0", 14), lane_value(15));
  EXPECT_TRUE(bench.checks().empty());
}

TEST(WarpOpcodes, MissingMembersAreReported) {
  OpcodeBench bench("bar.warp.sync -1;");
  ASSERT_EQ(bench.error(), "");
  bench.run();
  EXPECT_TRUE(bench.checks().empty());
  bench.warp().live = 0x0000'ffff;
  bench.run(0x0000'ffff);  // the others have left
  EXPECT_TRUE(bench.checks().empty());
  bench.run(0x0000'00ff);
  ASSERT_EQ(bench.checks().size(), 1U);
  EXPECT_EQ(bench.checks().front().thread[0], 8U);
  EXPECT_EQ(bench.warp().floor, 3U);
}

TEST(WarpOpcodes, TilesOfOneWarpMeetApart) {
  OpcodeBench bench("vote.sync.ballot.b32 %r0, %p1, %r2;");
  ASSERT_EQ(bench.error(), "");
  for (int lane = 0; lane < kLanes; ++lane) {
    bench.set<std::uint32_t>("%r2", lane, lane < 16 ? 0xffff : 0xffff'0000);
  }
  bench.mask("%p1") = 0x00ff'0f0f;
  bench.run();
  EXPECT_EQ(bench.bits("%r0", 0), 0x0000'0f0fU);
  EXPECT_EQ(bench.bits("%r0", 31), 0x00ff'0000U);
  EXPECT_TRUE(bench.checks().empty());
}

TEST(WarpOpcodes, Votes) {
  const auto vote = [](const std::string& mode, Mask votes, Mask active) {
    OpcodeBench bench("vote.sync." + mode + ".pred %p0, %p1, 0xff;");
    bench.mask("%p1") = votes;
    bench.run(active);
    return bench.mask("%p0");
  };
  EXPECT_EQ(vote("all", 0x00ff, 0xff), 0xffU);
  EXPECT_EQ(vote("all", 0x00fe, 0xff), 0U);
  EXPECT_EQ(vote("any", 0x0080, 0xff), 0xffU);
  EXPECT_EQ(vote("any", 0xff00, 0xff), 0U);
  EXPECT_EQ(vote("uni", 0xff00, 0xff), 0xffU);
  EXPECT_EQ(vote("uni", 0x0001, 0xff), 0U);
  OpcodeBench negated("vote.sync.all.pred %p0, !%p1, -1;");
  negated.run();
  EXPECT_EQ(negated.mask("%p0"), kAllLanes);
}

TEST(WarpOpcodes, BallotLeavesInactiveLanesOut) {
  OpcodeBench bench("vote.sync.ballot.b32 %r0, %p1, 0xff;");
  bench.fill("%r0", 7);
  bench.mask("%p1") = kAllLanes;
  bench.run(0xff);
  EXPECT_EQ(bench.bits("%r0", 3), 0xffU);
  EXPECT_EQ(bench.bits("%r0", 8), 7U);
}

TEST(WarpOpcodes, Match) {
  OpcodeBench any("match.any.sync.b32 %r0, %r1, -1;");
  ASSERT_EQ(any.error(), "");
  for (int lane = 0; lane < kLanes; ++lane) any.set<std::uint32_t>("%r1", lane, lane % 2 == 0);
  any.run();
  EXPECT_EQ(any.bits("%r0", 0), 0x5555'5555U);
  EXPECT_EQ(any.bits("%r0", 1), 0xaaaa'aaaaU);

  OpcodeBench all("match.all.sync.b64 %r0|%p0, %d1, -1;");
  ASSERT_EQ(all.error(), "");
  all.fill("%d1", 1ULL << 40U);
  all.run();
  EXPECT_EQ(all.bits("%r0", 9), 0xffff'ffffU);
  EXPECT_EQ(all.mask("%p0"), kAllLanes);
  all.write("%d1", 3, 0);
  all.run();
  EXPECT_EQ(all.bits("%r0", 9), 0U);
  EXPECT_EQ(all.mask("%p0"), 0U);
}

std::uint64_t reduce(const std::string& form, Mask active = kAllLanes) {
  OpcodeBench bench("redux.sync." + form + " %r0, %r1, -1;");
  EXPECT_EQ(bench.error(), "");
  for (int lane = 0; lane < kLanes; ++lane) {
    bench.set<std::int32_t>("%r1", lane, lane - 3);
  }
  bench.warp().live = active;
  bench.run(active);
  return bench.bits("%r0", std::countr_zero(active));
}

TEST(WarpOpcodes, Reductions) {
  EXPECT_EQ(reduce("add.s32"), 400U);
  EXPECT_EQ(reduce("min.s32"), 0xffff'fffdU);
  EXPECT_EQ(reduce("max.s32"), 28U);
  EXPECT_EQ(reduce("min.u32"), 0U);
  EXPECT_EQ(reduce("max.u32"), 0xffff'ffffU);
  EXPECT_EQ(reduce("and.b32"), 0U);
  EXPECT_EQ(reduce("or.b32"), 0xffff'ffffU);
  EXPECT_EQ(reduce("xor.b32", 0x30), 1U ^ 2U);
  EXPECT_EQ(reduce("add.u32", 0x30), 3U);

  OpcodeBench minimum("redux.sync.min.abs.NaN.f32 %r0, %r1, -1;");
  ASSERT_EQ(minimum.error(), "");
  minimum.fill("%r1", f32(-4));
  minimum.set("%r1", 6, -2.0F);
  minimum.run();
  EXPECT_EQ(minimum.bits("%r0", 20), f32(2));
  minimum.write("%r1", 9, 0x7fc0'0000);
  minimum.run();
  EXPECT_EQ(minimum.bits("%r0", 20), 0x7fff'ffffU);
}

TEST(WarpOpcodes, ActiveMaskAndElection) {
  OpcodeBench mask("activemask.b32 %r0;");
  ASSERT_EQ(mask.error(), "");
  mask.run(0x00f0);
  EXPECT_EQ(mask.bits("%r0", 4), 0x00f0U);
  OpcodeBench elect("elect.sync %r0|%p0, 0xf0;");
  ASSERT_EQ(elect.error(), "");
  elect.run(0x00f0);
  EXPECT_EQ(elect.bits("%r0", 7), 4U);
  EXPECT_EQ(elect.mask("%p0"), 0x10U);
}

TEST(WarpOpcodes, UnknownPartsAreNamed) {
  EXPECT_EQ(OpcodeBench("shfl.down.b32 %r0, %r1, 1, 31;").error(), "shfl without .sync");
  EXPECT_EQ(OpcodeBench("redux.sync.add.b32 %r0, %r1, -1;").error(), "the type .b32");
}

}  // namespace
}  // namespace warpmind::simulator::test
