#include "profilers/toolchain/strained_ptx.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string strained(std::string_view line, std::uint32_t seed = 1) {
  return strain(line, seed).value_or("");
}

TEST(StrainedPtx, ExactResultsMoveToo) {
  EXPECT_THAT(strained("\t@%p2 add.rn.f32 \t%f3, %f1, %f3;\n"),
              AllOf(HasSubstr("add.rn.f32 %wm_r, %f1, %f3;"),
                    HasSubstr("selp.f32 %wm_step, 0f3F800001, 0f3F7FFFFE, %wm_side;"),
                    HasSubstr("@%p2 mul.f32 %f3, %wm_r, %wm_step;")));
  EXPECT_THAT(strained("rsqrt.approx.ftz.f32 %f2, %f1;\n"), HasSubstr("mul.f32 %f2, %wm_r"));
  EXPECT_THAT(strained("fma.rn.f64 %fd4, %fd1, %fd2, %fd3;\n"),
              HasSubstr("mul.f64 %fd4, %wm_r, %wm_step;"));
  EXPECT_NE(strained("add.f32 %f3, %f1, %f2;\n", 1), strained("add.f32 %f3, %f1, %f2;\n", 2));
}

TEST(StrainedPtx, AProductWithZeroIsZero) {
  EXPECT_THAT(
      strained("fma.rn.f32 %f4, %f1, %f2, %f3;\n"),
      AllOf(HasSubstr("setp.eq.f32 %wm_side, %f1, 0f00000000; @%wm_side mov.f32 %wm_r, %f3;"),
            HasSubstr("setp.eq.f32 %wm_side, %f2, 0f00000000; @%wm_side mov.f32 %wm_r, %f3;")));
  EXPECT_THAT(strained("mul.f32 %f2, %f1, 0f3E000000;\n"),
              AllOf(HasSubstr("%f1, 0f00000000; @%wm_side mov.f32 %wm_r, 0f00000000;"),
                    Not(HasSubstr("setp.eq.f32 %wm_side, 0f3E"))));
}

TEST(StrainedPtx, ANanThatWasComparedIsANumber) {
  EXPECT_THAT(strained("setp.lt.f32 %p2, %f1, 0f00000000;\n"),
              AllOf(HasSubstr("setp.nan.f32 %wm_side, %f1, %f1; selp.f32 %f1, 0fBF000000, %f1,"),
                    HasSubstr("setp.lt.f32 %p2, %f1, 0f00000000;")));
  EXPECT_THAT(strained("max.f32 %f3, %f1, %f2;\n", 2),
              AllOf(HasSubstr("selp.f32 %f1, 0f3F000000"), HasSubstr("selp.f32 %f2, 0f3F000000")));
  EXPECT_THAT(strained("setp.gt.and.f64 %p3, %fd1, %fd2, %p1;\n"), Not(HasSubstr("%p1, %p1")));
}

TEST(StrainedPtx, IntegersEndAtTheirLimits) {
  EXPECT_THAT(strained("@%p1 sub.s32 %r9, %r7, %r8;\n"),
              HasSubstr("@%p1 sub.sat.s32 %r9, %r7, %r8;"));
  EXPECT_THAT(strained("mul.lo.s32 %r7, %r6, 3;\n"),
              AllOf(HasSubstr("mul.wide.s32 %wm_wide, %r6, 3;"),
                    HasSubstr("cvt.sat.s32.s64 %r7, %wm_wide;")));
  EXPECT_THAT(strained("mad.lo.s32 %r1, %r3, %r4, %r5;\n"),
              HasSubstr("add.sat.s32 %r1, %wm_product, %r5;"));
  EXPECT_THAT(strained("shl.b32 %r2, %r1, 2;\n"), HasSubstr("shl.b64 %wm_wide, %wm_wide, 2;"));
}

TEST(StrainedPtx, OtherStatementsStay) {
  for (const char* line : {"shl.b32 %r2, %r1, 16;\n", "add.s64 %rd3, %rd1, %rd2;\n",
                           "cvt.f32.f16 %f1, %rs1;\n", "mul.wide.s32 %rd1, %r1, 4;\n",
                           "setp.ge.s32 %p1, %r1, %r2;\n", "neg.f16 %rs1, %rs2;\n", "ret;\n"}) {
    EXPECT_EQ(strained(line), line);
  }
}

TEST(StrainedPtx, WhatItCannotStrainIsRefused) {
  for (const char* line :
       {"{mul.f16x2 %r1,%r2,%r3;\n}", "max.bf16 %rs1, %rs2, %rs3;\n",
        "add.rn.f32x2 %rd1, %rd2, %rd3;\n",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2}, {%r1}, {%r2}, {%f3};\n"}) {
    EXPECT_FALSE(strain(line, 1)) << line;
  }
}

}  // namespace
}  // namespace warpmind::profilers
