#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// `k(x, y, out, rows, columns)`; the first size is the one that skills are chosen for.
Task matrix_task(const std::string& source, const std::string& grid, const std::string& block,
                 std::vector<Sizes> sizes) {
  return task_of(source,
                 {ranged("x", Dtype::f32, {"rows", "columns"}, -8, 8),
                  ranged("y", Dtype::f32, {"max(rows, columns)"}, -4, 4),
                  output("out", Dtype::f32, {"2 * max(rows, columns)"})},
                 {{"k",
                   {grid, "1", "1"},
                   {block, "1", "1"},
                   "0",
                   {"x", "y", "out", "i32:rows", "i32:columns"}}},
                 std::move(sizes));
}

std::string kernel(const std::string& body, const std::string& in_front = "") {
  return in_front +
         "extern \"C\" __global__ void k(const float* x, const float* y, float* out, int rows, "
         "int columns) {\n" +
         body + "}\n";
}

/// Every element of out gets a value.
const char* const kThreadARow = R"(
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 2.0f;
  float largest = -1e30f;
  for (int c = 0; c < columns; ++c) {
    const float v = x[row * columns + c];
    sum += v * y[c];
    if (v > largest) largest = v;
  }
  out[2 * row] = sum;
  out[2 * row + 1] = largest;
)";

Sizes matrix(std::int64_t rows, std::int64_t columns) {
  return {{"rows", rows}, {"columns", columns}};
}

class ReductionSkillsTest : public RewriteTest {};

TEST_F(ReductionSkillsTest, RowsOfAThread) {
  const auto task = matrix_task(kernel(kThreadARow), "ceil_div(rows, block_x)", "32",
                                {matrix(256, 130), matrix(131, 131), matrix(33, 1), matrix(64, 8)});
  for (const std::string lanes : {"32", "64", "128"}) {
    expect_same(task, *rewritten(task, "row_reduction",
                                 "kernel=k;threads=128;lanes=" + lanes + ";items=2"));
  }
}

TEST_F(ReductionSkillsTest, FewLongRows) {
  const auto task = matrix_task(kernel(kThreadARow), "ceil_div(rows, block_x)", "32",
                                {matrix(3, 5001), matrix(7, 130), matrix(1, 1)});
  expect_same(task, *rewritten(task, "grid_reduction", "kernel=k;threads=256;items=2;blocks=1"));
}

TEST_F(ReductionSkillsTest, DotProductOfOneBlock) {
  auto task = shipped_task("dot");
  ASSERT_TRUE(task.has_value());
  task->workloads = {
      {"timed", {{"n", 9001}}, true}, {"one", {{"n", 1}}, false}, {"few", {{"n", 37}}, false}};
  expect_all_same(*task, "grid_reduction");
}

TEST_F(ReductionSkillsTest, ColumnsSideBySide) {
  const std::string source = kernel(R"(
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < columns) {
    float sum = 0.0f;
    float squares = 0.0f;
    for (int row = 0; row < rows; row++) {
      sum += x[row * columns + column];
      squares += x[row * columns + column] * x[row * columns + column] * y[row];
    }
    out[2 * column] = sum;
    out[2 * column + 1] = squares;
  }
)");
  const auto task = matrix_task(source, "ceil_div(columns, block_x)", "64",
                                {matrix(300, 256), matrix(67, 132), matrix(9, 131), matrix(1, 2)});
  for (const std::string items : {"2", "4"}) {
    expect_same(task, *rewritten(task, "column_reduction",
                                 "kernel=k;threads=256;items=" + items + ";blocks=2"));
  }
}

TEST_F(ReductionSkillsTest, MiddleAxis) {
  const std::string source = R"(
extern "C" __global__ void k(const float* x, float* out, int a, int k_, int b) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= a * b) return;
  const int outer = t / b, inner = t % b;
  float sum = 0.f;
  for (int i = 0; i < k_; ++i) sum += x[(outer * k_ + i) * b + inner];
  out[t] = sum / k_;
}
)";
  const auto task = task_of(
      source,
      {ranged("x", Dtype::f32, {"a", "k", "b"}, -8, 8), output("out", Dtype::f32, {"a", "b"})},
      {{"k",
        {"ceil_div(a * b, block_x)", "1", "1"},
        {"128", "1", "1"},
        "0",
        {"x", "out", "i32:a", "i32:k", "i32:b"}}},
      {{{"a", 5}, {"k", 200}, {"b", 68}}, {{"a", 3}, {"k", 7}, {"b", 33}}});
  expect_same(task, *rewritten(task, "column_reduction", "kernel=k;threads=256;items=2;blocks=2"));
}

TEST_F(ReductionSkillsTest, WarpsAndFunctionsThatCombine) {
  const std::string source = kernel(R"(
  const int row = blockIdx.x;
  float total = 0.f, squares = 0.f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float v = x[row * columns + i];
    total += v;
    squares += v * v;
  }
  total = block_sum(total);
  __syncthreads();
  squares = block_sum(squares);
  if (threadIdx.x == 0) {
    const float mean = total / columns;
    out[2 * row] = mean;
    out[2 * row + 1] = squares / columns - mean * mean;
  }
)",
                                    R"(
__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
__device__ float block_sum(float v) {
  __shared__ float partial[32];
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;
  if (warp == 0) v = warp_sum(v);
  return v;
}
)");
  const auto task =
      matrix_task(source, "rows", "128", {matrix(260, 130), matrix(3, 17), matrix(2, 2)});
  expect_same(task, *rewritten(task, "row_reduction", "kernel=k;threads=256;lanes=32;items=4"));
}

TEST_F(ReductionSkillsTest, AnExtremeAndItsPlace) {
  const std::string source = kernel(R"(
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = -1e30f;
  int at = 0;
  for (int c = 0; c < columns; ++c) {
    if (x[row * columns + c] > best) {
      best = x[row * columns + c];
      at = c;
    }
  }
  out[2 * row] = best;
  out[2 * row + 1] = at;
)");
  const auto task = matrix_task(source, "ceil_div(rows, block_x)", "64",
                                {matrix(257, 70), matrix(5, 1), matrix(2, 33)});
  expect_same(task, *rewritten(task, "row_reduction", "kernel=k;threads=128;lanes=32;items=2"));
}

TEST_F(ReductionSkillsTest, AtomicsOfTheWholeGrid) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* out, int n) {
  __shared__ int s[128];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i];
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
)";
  const auto task =
      task_of(source, {ranged("x", Dtype::i32, {"n"}, -9, 9), inout("out", Dtype::i32, {"1"})},
              {{"k", {"8", "1", "1"}, {"128", "1", "1"}, "0", {"x", "out", "i32:n"}}},
              {{{"n", 9000}}, {{"n", 3}}});
  expect_same(task, *rewritten(task, "grid_reduction", "kernel=k;threads=256;items=4;blocks=1"));
}

TEST_F(ReductionSkillsTest, AFaultIsNoticed) {
  const std::string source = kernel(R"(
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  out[2 * row] = sum;
)");
  const auto task =
      matrix_task(source, "ceil_div(rows, block_x)", "32", {matrix(256, 130), matrix(33, 67)});
  const auto kernel = rewritten(task, "row_reduction", "kernel=k;threads=128;lanes=32;items=2");
  ASSERT_TRUE(kernel.has_value());
  expect_same(task, *kernel);
  // Terms in front of the first whole piece are taken twice.
  expect_noticed(task, broken(*kernel, "? at : at - front + behind", "? at : at - front"));
}

}  // namespace
}  // namespace warpmind::rewrites
