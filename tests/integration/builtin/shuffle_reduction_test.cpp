#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

const char* const kTwoTrees = R"(
extern "C" __global__ void k(const float* x, float* y, float* out, int columns) {
  __shared__ float values[128];
  __shared__ float extremes[128];
  const int t = threadIdx.x;
  float sum = 0.0f;
  float largest = -100.0f;
  for (int i = t; i < columns; i += blockDim.x) {
    sum += x[blockIdx.x * columns + i];
    largest = fmaxf(largest, x[blockIdx.x * columns + i]);
  }
  values[t] = sum;
  extremes[t] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      values[t] = values[t] + values[half + t];
      extremes[t] = fmaxf(extremes[t + half], extremes[t]);
    }
    __syncthreads();
  }
  const float total = values[0] + extremes[0];
  __syncthreads();
  values[t] = total * t;
  __syncthreads();
  for (unsigned half = 64; half > 0; half >>= 1) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = values[0];
  for (int i = t; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = total + values[0];
}
)";

Task tree_task() {
  Launch launch{"k", {"rows", "1", "1"}, {"128", "1", "1"}, "0", {"x", "y", "out", "i32:columns"}};
  return task_of(
      kTwoTrees,
      {ranged("x", Dtype::f32, {"rows", "columns"}, -8, 8),
       output("y", Dtype::f32, {"rows", "columns"}), output("out", Dtype::f32, {"rows"})},
      {launch}, {{{"rows", 3}, {"columns", 300}}, {{"rows", 2}, {"columns", 5}}});
}

class ShuffleReduction : public RewriteTest {};

TEST_F(ShuffleReduction, ComputesTheSame) { expect_all_same(tree_task(), "shuffle_reduction"); }

TEST_F(ShuffleReduction, ComputesTheSameAfterVectorLoads) {
  auto task = tree_task();
  const auto vectors = rewritten(task, "vectorized_loads", "loops=k");
  ASSERT_TRUE(vectors.has_value()) << vectors.error().message;
  task.kernel = *vectors;
  const auto kernel = rewritten(task, "shuffle_reduction", "kernel=k");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_same(tree_task(), *kernel);
}

TEST_F(ShuffleReduction, BrokenRewritesAreNoticed) {
  const auto task = tree_task();
  const auto kernel = rewritten(task, "shuffle_reduction", "kernel=k");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "wm_combine_lanes<wm_sum_of, 128>(values[t])",
                              "wm_combine_lanes<wm_sum_of, 32>(values[t])"));
  expect_noticed(task, broken(*kernel, "values[0] = wm_total_1;", "values[1] = wm_total_1;"));
}

}  // namespace
}  // namespace warpmind::rewrites
