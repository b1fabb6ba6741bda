#include "tests/integration/builtin/rewrite_check.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

Launch a_line(std::string kernel, std::vector<std::string> arguments) {
  return {std::move(kernel),
          {"ceil_div(n, block_x)", "1", "1"},
          {"128", "1", "1"},
          "0",
          std::move(arguments)};
}

const std::vector<Sizes> kOddSizes{{{"n", 300}}, {{"n", 1}}, {{"n", 129}}, {{"n", 37}}};

/// Windows of seven elements, cut at the end.
Task windows() {
  return task_of(R"(extern "C" __global__ void windows(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 7; ++k) {
    if (i + k < n) sum += x[i + k];
  }
  y[i] = sum;
}
)",
                 {input("x", Dtype::f32, {"n"}), output("y", Dtype::f32, {"n"})},
                 {a_line("windows", {"x", "y", "i32:n"})}, kOddSizes);
}

/// Reads an element again after it was written through the other pointer.
Task written_in_between(const std::string& from) {
  return task_of(R"(extern "C" __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1.0f;
  y[i] = 2.0f * x[i];
}
)",
                 {input("other", Dtype::f32, {"n"}), inout("data", Dtype::f32, {"n"})},
                 {a_line("twice", {from, "data", "i32:n"})}, kOddSizes);
}

/// Functions that have a fast twin, on small numbers.
Task transcendental() {
  return task_of(R"(extern "C" __global__ void curves(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = expf(0.25f * v) + logf(v * v + 1.0f) + sinf(0.5f * v) * cosf(0.5f * v) + 7.0f / (v * v + 2.0f);
}
)",
                 {ranged("x", Dtype::f32, {"n"}, -6, 6), output("y", Dtype::f32, {"n"})},
                 {a_line("curves", {"x", "y", "i32:n"})}, kOddSizes);
}

/// Forty sums at a time want more than 32 registers.
Task many_sums() {
  return task_of(R"(extern "C" __global__ void many(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sums[40];
#pragma unroll
  for (int k = 0; k < 40; ++k) sums[k] = x[i] * k;
  for (int j = 0; j < n; ++j) {
    float v = x[j];
#pragma unroll
    for (int k = 0; k < 40; ++k) sums[k] = sums[k] * 0.5f + v;
  }
  float all = 0.0f;
#pragma unroll
  for (int k = 0; k < 40; ++k) all += sums[k] * (k + 1);
  y[i] = all;
}
)",
                 {input("x", Dtype::f32, {"n"}), output("y", Dtype::f32, {"n"})},
                 {a_line("many", {"x", "y", "i32:n"})}, {{{"n", 5}}, {{"n", 1}}});
}

class PlainFaults : public RewriteTest {
 protected:
  /// Applied; the test fails when it is refused.
  Kernel applied(const Task& task, const std::string& technique, const std::string& parameters) {
    auto kernel = rewritten(task, technique, parameters, situation);
    EXPECT_TRUE(kernel.has_value()) << kernel.error().message;
    return kernel ? std::move(*kernel) : Kernel{};
  }
  KernelResources resources(const Kernel& kernel) {
    const auto found = builder().resources(kernel);
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found && !found->empty() ? found->front() : KernelResources{};
  }
};

TEST_F(PlainFaults, ABlockWhoseGridDoesNotFollow) {
  const Task task = windows();
  expect_all_same(task, "block_size");
  auto fixed = task;
  fixed.kernel.plan.launches[0].grid[0] = "ceil_div(n, 128)";
  expect_refused(fixed, "block_size", "the grid of 'windows' does not follow");
  Kernel smaller = applied(task, "block_size", "block=64x1x1");
  smaller.plan.launches[0].grid[0] = "ceil_div(n, 128)";
  expect_noticed(task, smaller);
  Kernel larger = applied(task, "block_size", "block=256x1x1");
  larger = broken(larger, "if (i >= n) return;", "");
  expect_noticed(task, larger);
}

TEST_F(PlainFaults, ABlockThatTheCodeIsWrittenFor) {
  Task task = windows();
  task.kernel = broken(task.kernel, "blockIdx.x * blockDim.x", "blockIdx.x * 128");
  expect_refused(task, "block_size", "does not read blockDim");
  Kernel edited = task.kernel;
  edited.plan.launches[0].block[0] = "64";
  expect_noticed(task, edited);
}

TEST_F(PlainFaults, LaunchBoundsBelowTheBlock) {
  const Task task = windows();
  expect_all_same(task, "launch_bounds");
  const Kernel bounded = applied(task, "launch_bounds", "blocks=4");
  expect_noticed(task, broken(bounded, "(128, 4)", "(64, 4)"));
  Task again = task;
  again.kernel = bounded;
  expect_refused(again, "launch_bounds", "already");
}

TEST_F(PlainFaults, APromiseThatIsNotKept) {
  const Task apart = written_in_between("other");
  expect_all_same(apart, "restrict");
  const Task one = written_in_between("data");
  expect_refused(one, "restrict", "bound to 'data'");
  Kernel promised = one.kernel;
  promised.source = applied(apart, "restrict", "").source;
  expect_noticed(one, promised);
}

TEST_F(PlainFaults, AnUnrolledLoopThatLosesItsTail) {
  const Task task = windows();
  expect_all_same(task, "unroll");
  const Kernel unrolled = applied(task, "unroll", "factor=4");
  expect_noticed(task, broken(unrolled, "k < 7", "k < 7 / 4 * 4"));
  Task again = task;
  again.kernel = unrolled;
  expect_refused(again, "unroll", "without a pragma");
}

TEST_F(PlainFaults, FastFunctionsStayWithinATolerance) {
  const Task task = transcendental();
  const Closeness close{16, 2e-6};
  expect_all_same(task, "fast_intrinsics", close);
  expect_all_same(task, "fast_math", close);
  const Kernel fast = applied(task, "fast_intrinsics", "");
  expect_noticed(task, broken(fast, "__logf", "__log2f"), close);
  expect_noticed(task, broken(fast, "__sinf", "__cosf"), close);
  Task again = task;
  again.kernel = fast;
  expect_refused(again, "fast_intrinsics", "no call of a function");
}

TEST_F(PlainFaults, FastMathOnNumbersThatItFlushes) {
  Task task = windows();
  task.kernel = broken(task.kernel, "y[i] = sum;", "y[i] = sum * 1e-30f * 1e-12f * 1e38f;");
  expect_noticed(task, applied(task, "fast_math", "--use_fast_math"), {16, 1e-6});
  Task again = task;
  again.kernel.build_flags = {"--use_fast_math"};
  expect_refused(again, "fast_math", "built so already");
}

TEST_F(PlainFaults, WhatIsExactIsNotApproximated) {
  Task task = transcendental();
  task.contract.tolerance = ToleranceClass::exact;
  expect_refused(task, "fast_math", "exact");
  expect_refused(task, "fast_intrinsics", "exact");
}

TEST_F(PlainFaults, ARegisterLimitThatIsLost) {
  const Task task = many_sums();
  expect_all_same(task, "register_limit");
  Kernel limited = applied(task, "register_limit", "--maxrregcount=32");
  ASSERT_GT(resources(task.kernel).registers, 32);
  EXPECT_LE(resources(limited).registers, 32);
  EXPECT_GT(resources(limited).spill_store_bytes, 0) << "forty sums do not fit into 32 registers";
  std::erase(limited.build_flags, "--maxrregcount=32");
  EXPECT_GT(resources(limited).registers, 32) << "the check above notices a lost flag";
  EXPECT_FALSE(rewritten(task, "register_limit", "--maxrregcount=33").has_value());
}

}  // namespace
}  // namespace warpmind::rewrites
