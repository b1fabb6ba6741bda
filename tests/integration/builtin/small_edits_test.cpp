#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Turns blocks of 32 x 32 with doubles by accident.
Task turned_blocks() {
  const std::string source = R"(#define SIDE 32
extern "C" __global__ void turn(const float* x, float* y, int blocks) {
  __shared__ float tile[SIDE][SIDE];
  for (int i = threadIdx.y; i < SIDE; i += blockDim.y) {
    tile[i][threadIdx.x] = x[(blockIdx.x * SIDE + i) * SIDE + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < SIDE; i += blockDim.y) {
    y[(blockIdx.x * SIDE + i) * SIDE + threadIdx.x] = 0.5 * tile[threadIdx.x][i] + 1.0;
  }
}
)";
  return task_of(source,
                 {ranged("x", Dtype::f32, {"blocks", "32", "32"}, -99, 99),
                  output("y", Dtype::f32, {"blocks", "32", "32"})},
                 {{"turn", {"blocks", "1", "1"}, {"32", "8", "1"}, "0", {"x", "y", "i32:blocks"}}},
                 {{{"blocks", 3}}, {{"blocks", 1}}});
}

/// Pooling with 64-bit sizes.
Task wide_pooling() {
  const std::string source =
      R"(extern "C" __global__ void pool(const int* x, int* y, long long rows, long long columns) {
  long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long half = columns / 2;
  if (i >= rows * half) return;
  long long row = i / half, column = i % half;
  int most = x[row * columns + 2 * column];
  for (long long w = 1; w < 2; ++w) most = max(most, x[row * columns + 2 * column + w]);
  y[row * half + column] = most;
}
)";
  return task_of(source,
                 {ranged("x", Dtype::i32, {"rows", "columns"}, -99, 99),
                  output("y", Dtype::i32, {"rows", "columns / 2"})},
                 {{"pool",
                   {"ceil_div(rows * (columns / 2), block_x)", "1", "1"},
                   {"64", "1", "1"},
                   "0",
                   {"x", "y", "i64:rows", "i64:columns"}}},
                 {{{"rows", 37}, {"columns", 26}},
                  {{"rows", 1}, {"columns", 2}},
                  {{"rows", 50}, {"columns", 6}}});
}

/// As docs/examples/rows.cu has it.
Task centred_rows() {
  const std::string source =
      R"(extern "C" __global__ void centre(const float* x, const float* mean, float* y, int rows,
                                  int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y;
  if (row < rows) y[(size_t)row * columns + column] = x[(size_t)row * columns + column] - mean[row];
}
)";
  return task_of(
      source,
      {ranged("x", Dtype::f32, {"rows", "columns"}, -99, 99),
       ranged("mean", Dtype::f32, {"rows"}, -9, 9), output("y", Dtype::f32, {"rows", "columns"})},
      {{"centre",
        {"ceil_div(rows, block_x)", "columns", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "mean", "y", "i32:rows", "i32:columns"}}},
      {{{"rows", 130}, {"columns", 26}}, {{"rows", 1}, {"columns", 2}}});
}

class SmallEdits : public RewriteTest {};

TEST_F(SmallEdits, CastsAsCWritesThemAreNarrowed) {
  expect_all_same(centred_rows(), "index_32bit");
}

TEST_F(SmallEdits, NarrowIndicesComputeTheSame) {
  const Task task = wide_pooling();
  expect_all_same(task, "index_32bit");
  const auto narrow = rewritten(task, "index_32bit", "type=int");
  ASSERT_TRUE(narrow.has_value()) << narrow.error().message;
  expect_noticed(task, broken(*narrow, "static_cast<int>(columns)", "static_cast<int>(rows)"));
}

TEST_F(SmallEdits, PaddingComputesTheSame) {
  const Task task = turned_blocks();
  expect_all_same(task, "shared_padding");
  const auto padded = rewritten(task, "shared_padding", "pad_bytes=4");
  ASSERT_TRUE(padded.has_value()) << padded.error().message;
  expect_noticed(task, broken(*padded, "[SIDE][SIDE + 1]", "[SIDE][SIDE - 1]"));
}

TEST_F(SmallEdits, FloatLiteralsComputeTheSame) {
  const Task task = turned_blocks();
  expect_all_same(task, "demote_double");
  const auto demoted = rewritten(task, "demote_double", "");
  ASSERT_TRUE(demoted.has_value()) << demoted.error().message;
  expect_noticed(task, broken(*demoted, "0.5f", "0.25f"));
}

}  // namespace
}  // namespace warpmind::rewrites
