#include "profilers/flops/counter_mix.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

TEST(CounterMix, PlainArithmeticIsOneInstruction) {
  EXPECT_EQ(counter_mix_of("add.f32"), (CounterMix{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counter_mix_of("sub.rn.f32"), (CounterMix{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counter_mix_of("mul.ftz.f32"), (CounterMix{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(counter_mix_of("fma.rn.f32"), (CounterMix{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(counter_mix_of("add.rn.f64"), (CounterMix{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(counter_mix_of("mul.rn.f64"), (CounterMix{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(counter_mix_of("fma.rn.f64"), (CounterMix{0, 0, 0, 0, 0, 1}));
}

TEST(CounterMix, DivisionsAndRootsAreSeveral) {
  EXPECT_EQ(counter_mix_of("div.rn.f32").f32_flops(), 10);
  EXPECT_EQ(counter_mix_of("sqrt.rn.f32").f32_flops(), 6);
  EXPECT_EQ(counter_mix_of("rcp.rn.f32").f32_flops(), 5);
  EXPECT_EQ(counter_mix_of("div.full.f32").f32_flops(), 1);
  EXPECT_EQ(counter_mix_of("div.rn.f64").f64_flops(), 15);
  EXPECT_EQ(counter_mix_of("div.rn.f64").f32_flops(), 2) << "a check in single precision";
  EXPECT_EQ(counter_mix_of("sqrt.rn.f64").f64_flops(), 13);
}

TEST(CounterMix, OtherUnitsAreNotInTheseCounters) {
  for (const char* opcode : {"ex2.approx.ftz.f32", "fma.rn.f16x2", "mma.sync.aligned.m16n8k16",
                             "red.global.add.f32", "add.s32", "max.f32", "cvt.f32.f16"}) {
    EXPECT_EQ(counter_mix_of(opcode), CounterMix{}) << opcode;
  }
}

TEST(CounterMix, SumsOverLanesAndScalesASample) {
  CounterMix mix;
  mix.add(counter_mix_of("fma.rn.f32"), 32);
  mix.add(counter_mix_of("add.f32"), 10);
  EXPECT_EQ(mix, (CounterMix{10, 0, 32, 0, 0, 0}));
  EXPECT_EQ(mix.f32_flops(), 74);

  simulator::LaunchRecord launch;
  launch.blocks = 8;
  launch.blocks_run = 2;
  auto& one = launch.instructions.emplace_back();
  one.opcode = "div.rn.f64";
  one.lanes = 3;
  EXPECT_EQ(counter_mix_of(launch), (CounterMix{0, 0, 12, 0, 12, 84}));
  launch.blocks_run = 0;
  EXPECT_EQ(counter_mix_of(launch), CounterMix{});
}

}  // namespace
}  // namespace warpmind::profilers
