#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

// A block for each (batch, column); the grid's z is the column.
const char* const kNorm = R"(
extern "C" __global__ void k(const float* x, float* y, float* sums, long long high, int wide) {
  extern __shared__ float parts[];
  __shared__ int count;
  __shared__ float largest[128];
  const int column = blockIdx.z;
  const int batch = blockIdx.x;
  if (column >= wide) return;
  const int tid = threadIdx.x;
  if (tid == 0) count = 0;
  float sum = 0.0f, most = -50.0f;
  for (int i = tid; i < high; i += blockDim.x) {
    const long long at = (batch * high + i) * wide + column;
    sum += x[at];
    most = fmaxf(most, x[at]);
  }
  parts[tid] = sum;
  largest[tid] = most;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) {
      parts[threadIdx.x] += parts[threadIdx.x + stride];
      largest[tid] = fmaxf(largest[tid], largest[tid + stride]);
    }
    __syncthreads();
  }
  if (largest[0] > 5) atomicAdd(&count, 1);
  __syncthreads();
  const float shift = parts[0] * 2 + (count > 0 ? 1.0f : 0.0f) + largest[0];
  for (int i = threadIdx.x; i < high; i += blockDim.x) {
    const long long at = (batch * high + i) * wide + column;
    y[at] = x[at] + shift;
  }
  if (tid == 0) sums[batch * wide + column] = shift;
}
)";

Task column_task(const std::string& block) {
  return task_of(kNorm,
                 {ranged("x", Dtype::f32, {"batch", "high", "wide"}, -8, 8),
                  output("y", Dtype::f32, {"batch", "high", "wide"}),
                  output("sums", Dtype::f32, {"batch", "wide"})},
                 {{"k",
                   {"batch", "1", "wide"},
                   {block, "1", "1"},
                   "4 * block_x",
                   {"x", "y", "sums", "i64:high", "i32:wide"}}},
                 {{{"batch", 2}, {"high", 70}, {"wide", 37}},
                  {{"batch", 1}, {"high", 1}, {"wide", 1}},
                  {{"batch", 3}, {"high", 300}, {"wide", 9}}});
}

class SideBySide : public RewriteTest {};

TEST_F(SideBySide, ComputesTheSame) {
  const auto task = column_task("128");
  expect_same(task, "coalesced_mapping", "kernel=k;columns=8;lanes=32");
  expect_same(task, "coalesced_mapping", "kernel=k;columns=32;lanes=8");
  expect_same(task, "coalesced_mapping", "kernel=k;columns=8;lanes=128");
  expect_same(column_task("32"), "coalesced_mapping", "kernel=k;columns=16;lanes=32");
}

TEST_F(SideBySide, BrokenRewritesAreNoticed) {
  const auto task = column_task("64");
  const auto kernel = rewritten(task, "coalesced_mapping", "kernel=k;columns=16;lanes=32");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(
      task, broken(*kernel, "if (wm_place < wm_columns) y", "if (wm_place + 1 < wm_columns) y"));
  expect_noticed(task, broken(*kernel, "min(wm_place, wm_columns - 1)", "wm_place"));
  expect_noticed(task, broken(*kernel, "* 16u + threadIdx.x] = sum", "* 16u] = sum"));
  expect_noticed(task, broken(*kernel, "stride = 32u / 2", "stride = 16u / 2"));
  expect_noticed(task, broken(*kernel, "i += 32u", "i += 33u"));
}

}  // namespace
}  // namespace warpmind::rewrites
