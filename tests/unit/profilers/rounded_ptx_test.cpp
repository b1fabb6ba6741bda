#include "profilers/toolchain/rounded_ptx.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RoundedPtx, AResultGoesUpOrDown) {
  EXPECT_THAT(round_at_random("\tfma.rn.ftz.f32 \t%f3, %f1, %f2, %f3;\n", 1),
              AllOf(HasSubstr("fma.rp.ftz.f32 %wm_up, %f1, %f2, %f3;"),
                    HasSubstr("fma.rm.ftz.f32 %wm_down, %f1, %f2, %f3;"),
                    HasSubstr("selp.f32 %f3, %wm_up, %wm_down, %wm_side; }")));
  EXPECT_THAT(round_at_random("@%p1 add.f64 %fd3, %fd1, 0d3FF0000000000000;\n", 1),
              AllOf(HasSubstr("add.rp.f64"), HasSubstr("@%p1 selp.f64 %fd3")));
  EXPECT_THAT(round_at_random("{  cvt.rn.f16.f32 %rs1, %f24;}\n", 1),
              AllOf(HasSubstr("cvt.rp.f16.f32 %wm_up, %f24;"), HasSubstr("selp.b16 %rs1"),
                    HasSubstr("; }}")));
}

TEST(RoundedPtx, WhatHasNoRoundingStays) {
  for (const char* line : {"add.s32 %r1, %r2, 1;\n", "mul.wide.s32 %rd1, %r1, 4;\n",
                           "fma.rm.f32 %f1, %f2, %f3, %f4;\n", "div.full.f32 %f1, %f2, %f3;\n",
                           "ld.global.v2.f32 {%f1, %f2}, [%rd1];\n", "add.f16 %rs1, %rs2, %rs3;\n",
                           "// add.f32 %f1, %f2, %f3;\n", "ret;\n", "\n"}) {
    EXPECT_EQ(round_at_random(line, 1), line);
  }
}

TEST(RoundedPtx, SeedsChooseOtherSides) {
  const std::string line = "mul.f32 %f1, %f2, %f3;\n";
  EXPECT_NE(round_at_random(line, 1), round_at_random(line, 2));
  EXPECT_EQ(round_at_random(line, 1), round_at_random(line, 1));
}

}  // namespace
}  // namespace warpmind::profilers
