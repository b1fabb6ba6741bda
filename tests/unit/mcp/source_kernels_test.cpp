#include "agents/analysis/source_kernels.h"

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

SourceKernel only(const std::string& source) {
  const auto kernels = kernels_in(source);
  EXPECT_TRUE(kernels);
  if (!kernels || kernels->size() != 1) {
    ADD_FAILURE() << "not one kernel";
    return {};
  }
  return kernels->front();
}

TEST(SourceKernels, LinesAndBlocksOfALaunchInTheSameText) {
  const SourceKernel kernel = only(
      "#define SIDE 16\n"
      "__global__ void scale(float* a) {\n"
      "  a[threadIdx.x] *= 2;\n"
      "}\n"
      "void run(float* a) { dim3 block(SIDE, SIDE); scale<<<4, block>>>(a); }\n");
  EXPECT_EQ(kernel.name, "scale");
  EXPECT_EQ(kernel.line, 2);
  EXPECT_EQ(kernel.end_line, 4);
  EXPECT_EQ(kernel.block_threads, 256);
  EXPECT_EQ(kernel.block_origin, BlockOrigin::source);
}

TEST(SourceKernels, BoundsStandInForALaunchThatIsNotKnown) {
  const SourceKernel kernel = only(
      "__global__ void __launch_bounds__(128, 4) f(int n) {}\n"
      "void run(int n) { f<<<1, n>>>(n); }\n");
  EXPECT_EQ(kernel.block_threads, 128);
  EXPECT_EQ(kernel.block_origin, BlockOrigin::launch_bounds);
}

TEST(SourceKernels, WhatIsNotKnownIsAssumedAndSaysSo) {
  const SourceKernel kernel = only("__global__ void f(int n) {}\n");
  EXPECT_EQ(kernel.block_threads, 256);
  EXPECT_EQ(kernel.block_origin, BlockOrigin::assumed);
  EXPECT_EQ(
      only("__global__ void f() {}\nvoid r(){ f<<<1, 64>>>(); f<<<1, 32>>>(); }\n").block_origin,
      BlockOrigin::assumed)
      << "two launches that differ";
}

TEST(SourceKernels, HalfWrittenTextIsNoError) {
  for (const char* text : {"", "__global__ void f(", "__global__ void f(int* a) { if (", "<<<>>>",
                           "__global__", "\xff\xfe{{{{"}) {
    EXPECT_TRUE(kernels_in(text)) << text;
  }
}

}  // namespace
}  // namespace warpmind::agents
