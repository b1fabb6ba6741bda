#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Each element scaled by a factor of its column: half precision, float and one byte.
Task scaled_rows(const std::string& head, const std::string& tail) {
  const std::string source = R"(#include <cuda_fp16.h>

extern "C" __global__ void scale(const __half* x, const float* gain, const signed char* mask,
                                 __half* y, float* copy, int rows, int columns) {
  int n = rows * columns;
)" + head + R"(    int column = i % columns;
    float value = __half2float(__ldg(&x[i])) * gain[column];
    if (mask[i] > 0) value += 1.0f;
    y[i] = __float2half(value);
    if (column > 0) copy[i] = value;
    else copy[i] = -value;
    // The sum of both.
    copy[i] += gain[column];
)" + tail + "}\n";
  Launch launch{"scale",
                {"ceil_div(rows * columns, block_x)", "1", "1"},
                {"64", "1", "1"},
                "0",
                {"x", "gain", "mask", "y", "copy", "i32:rows", "i32:columns"}};
  return task_of(source,
                 {ranged("x", Dtype::f16, {"rows", "columns"}, -8, 8),
                  ranged("gain", Dtype::f32, {"columns"}, -4, 4),
                  ranged("mask", Dtype::i8, {"rows", "columns"}, -1, 1),
                  output("y", Dtype::f16, {"rows", "columns"}),
                  output("copy", Dtype::f32, {"rows", "columns"})},
                 {launch},
                 {{{"rows", 7}, {"columns", 130}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 13}, {"columns", 1}},
                  {{"rows", 64}, {"columns", 16}},
                  {{"rows", 3}, {"columns", 5}}});
}

Task guarded() {
  return scaled_rows("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n", "  }\n");
}

class VectorizedLoads : public RewriteTest {};

TEST_F(VectorizedLoads, ComputeTheSameBehindAGuard) {
  expect_all_same(guarded(), "vectorized_loads");
}

TEST_F(VectorizedLoads, ComputeTheSameAfterAnEarlyReturn) {
  expect_all_same(scaled_rows("  size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i >= static_cast<size_t>(n)) return;\n",
                              ""),
                  "vectorized_loads");
}

TEST_F(VectorizedLoads, ComputeTheSameInALoopOverAllThreads) {
  auto task = scaled_rows(
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
      "       i += gridDim.x * blockDim.x) {\n",
      "  }\n");
  expect_all_same(task, "vectorized_loads");
  task.kernel.plan.launches[0].grid[0] = "2";
  expect_all_same(task, "vectorized_loads");
}

TEST_F(VectorizedLoads, ComputeTheSameInPlaceAndOnAShippedTask) {
  auto task = shipped_task("vector_add_chain");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  task->workloads.pop_back();
  task->workloads.back().timed = true;
  expect_all_same(*task, "vectorized_loads");
  // d = (a + b) * c + a with the sums in place.
  for (auto& launch : task->kernel.plan.launches) {
    for (auto& argument : launch.arguments) {
      if (argument == "sum" || argument == "product") argument = "d";
    }
  }
  task->kernel.plan.scratch.clear();
  expect_all_same(*task, "vectorized_loads");
}

TEST_F(VectorizedLoads, SeededFaultsAreNoticed) {
  const Task task = guarded();
  const auto kernel = rewritten(task, "vectorized_loads", "width=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "wm_first + 4 <= wm_count", "wm_first < wm_count"));
  expect_noticed(task, broken(*kernel, "&& wm_first + wm_lane < wm_count", ""));
  expect_noticed(task, broken(*kernel, "wm_x.load(x + wm_first)", "wm_x.load(x)"));
  auto uncovered = *kernel;
  uncovered.plan.launches[0].grid[0] = "ceil_div(rows * columns, block_x * 8)";
  expect_noticed(task, uncovered);
}

}  // namespace
}  // namespace warpmind::rewrites
