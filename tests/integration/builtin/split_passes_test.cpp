#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

const char* const kMeeting = R"(
template <unsigned kThreads>
__inline__ __device__ float meet(float value) {
  static __shared__ float shared[32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < kThreads / 32 ? shared[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}
)";

// Sum, then a sum that needs it, then what is made of both; in place where x and y are one buffer.
const char* const kNorm = R"(
extern "C" __global__ void k(const float* x, const float* weight, float* y, float* sums,
                             long long rows, int columns) {
  __shared__ float total[2];
  const int row = blockIdx.x;
  // The whole row.
  float sum = 0.5f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += x[row * columns + i];
  }
  sum = meet<64>(sum);
  if (threadIdx.x == 0) total[0] = sum;
  __syncthreads();
  const float shift = static_cast<int>(total[0]) % 5;
  float squares = 0.0f, most = x[row * columns] > 3 ? 3.0f : 2.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float value = x[row * columns + i] - shift;
    squares += value * value;
    most = fmaxf(most, value);
  }
  squares = meet<64>(squares);
  if (threadIdx.x == 0) total[1] = squares;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[row * columns + i] = (x[row * columns + i] - shift) * weight[i] + total[1];
  if (threadIdx.x == 1) sums[row] = most + sum * 0;
}
)";

Task norm_task() {
  return task_of(
      std::string(kMeeting) + kNorm,
      {ranged("x", Dtype::f32, {"rows", "columns"}, -4, 4),
       ranged("weight", Dtype::f32, {"columns"}, -4, 4),
       output("y", Dtype::f32, {"rows", "columns"}), output("sums", Dtype::f32, {"rows"})},
      {{"k",
        {"rows", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "weight", "y", "sums", "i64:rows", "i32:columns"}}},
      {{{"rows", 3}, {"columns", 1000}},
       {{"rows", 1}, {"columns", 1}},
       {{"rows", 5}, {"columns", 65}}});
}

// Two loops side by side for one sum, a tree in shared memory, atomics there, grids of two axes,
// in place.
const char* const kInPlace = R"(
extern "C" __global__ void k(int* x, int columns) {
  extern __shared__ int parts[];
  const int row = blockIdx.y * gridDim.x + blockIdx.x;
  const int tid = threadIdx.x;
  int* line = x + row * columns;
  if (columns > 0) {
    int sum = 7;
    for (int i = tid * 2; i < columns / 2 * 2; i += blockDim.x * 2) {
      int pair[2];
      for (int j = 0; j < 2; ++j) pair[j] = line[i + j];
      sum += pair[0] + 3 * pair[1];
    }
    for (int i = columns / 2 * 2 + tid; i < columns; i += blockDim.x) {
      sum += line[i];
    }
    parts[tid] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
      if (tid < stride) parts[tid] += parts[tid + stride];
      __syncthreads();
    }
    if (tid == 0) atomicAdd(&parts[0], 5);
    __syncthreads();
    for (int i = tid; i < columns; i += blockDim.x) {
      line[i] = 2 * line[i] + parts[0];
    }
  }
}
)";

Task in_place_task() {
  Argument x = ranged("x", Dtype::i32, {"a", "b", "columns"}, -9, 9);
  x.kind = ArgumentKind::inout;
  return task_of(kInPlace, {x},
                 {{"k", {"a", "b", "1"}, {"32", "1", "1"}, "128", {"x", "i32:columns"}}},
                 {{{"a", 2}, {"b", 3}, {"columns", 401}},
                  {{"a", 1}, {"b", 1}, {"columns", 1}},
                  {{"a", 3}, {"b", 1}, {"columns", 64}}});
}

class SplitPasses : public RewriteTest {};

TEST_F(SplitPasses, ComputeTheSame) {
  expect_all_same(norm_task(), "split_rows");
  expect_same(in_place_task(), "split_rows", "kernel=k;parts=4");
  expect_same(in_place_task(), "split_rows", "kernel=k;parts=32");
}

TEST_F(SplitPasses, BrokenRewritesAreNoticed) {
  const auto task = norm_task();
  const auto kernel = rewritten(task, "split_rows", "kernel=k;parts=8");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "sum = 0.0f;", ""));
  expect_noticed(task, broken(*kernel, "wm_from < 8u", "wm_from < 7u"));
  expect_noticed(task, broken(*kernel, "i += 8 * (blockDim.x)", "i += 9 * (blockDim.x)"));
  expect_noticed(task,
                 broken(*kernel, "if (wm_part == 0) sums[row]", "if (wm_part == 8) sums[row]"));
  auto unsplit = *kernel;
  unsplit.plan.launches[1].grid[1] = "7";
  expect_noticed(task, unsplit);
}

}  // namespace
}  // namespace warpmind::rewrites
