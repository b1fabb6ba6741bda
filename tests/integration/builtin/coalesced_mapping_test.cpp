#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

const char* const kColumnStatistics = R"(
extern "C" __global__ void k(const float* x, const int* keys, float* out, int* counts, int rows,
                             int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 2.0f;
  int count = 5;
  float largest = -3.0f;
  // Columns that are counted at all.
  if (keys[column] >= 0) {
    for (int row = 1; row < rows; row += 2) {
      const float value = x[row * columns + column];
      sum += value;
      count += keys[row * columns + column] > 4;
      largest = fmaxf(value, largest);
    }
    sum = sum * 2.0f;
  } else {
    count = 0;
  }
  out[column] = sum + largest;
  counts[column] = count;
}
)";

Task column_task() {
  Launch launch{"k",
                {"ceil_div(columns, block_x)", "1", "1"},
                {"32", "1", "1"},
                "0",
                {"x", "keys", "out", "counts", "i32:rows", "i32:columns"}};
  return task_of(
      kColumnStatistics,
      {ranged("x", Dtype::f32, {"rows", "columns"}, -8, 8),
       ranged("keys", Dtype::i32, {"rows", "columns"}, -2, 9),
       output("out", Dtype::f32, {"columns"}), output("counts", Dtype::i32, {"columns"})},
      {launch},
      {{{"rows", 130}, {"columns", 70}},
       {{"rows", 1}, {"columns", 33}},
       {{"rows", 37}, {"columns", 1}},
       {{"rows", 64}, {"columns", 32}}});
}

class CoalescedMapping : public RewriteTest {};
class SplitRows : public RewriteTest {};

TEST_F(CoalescedMapping, ComputesTheSame) { expect_all_same(column_task(), "coalesced_mapping"); }

TEST_F(CoalescedMapping, ComputesTheSameOnAShippedTask) {
  const auto task = shipped_task("column_sum");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  expect_same(*task, "coalesced_mapping", "kernel=column_sum;columns=8;lanes=128");
  expect_same(*task, "split_rows", "kernel=column_sum;parts=16");
}

TEST_F(CoalescedMapping, ComputesTheSameOverTwoAxes) {
  const auto task = shipped_task("gemm_f16");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  expect_same(*task, "coalesced_mapping", "kernel=gemm;columns=16;lanes=32");
  expect_same(*task, "coalesced_mapping", "kernel=gemm;columns=32;lanes=8");
}

TEST_F(CoalescedMapping, BrokenRewritesAreNoticed) {
  const auto task = column_task();
  const auto kernel = rewritten(task, "coalesced_mapping", "columns=8;lanes=64");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "row = 1 + wm_lane * (2)", "row = 1 + wm_lane"));
  expect_noticed(task, broken(*kernel, "wm_half = 32", "wm_half = 16"));
  expect_noticed(task, broken(*kernel, "  __syncthreads();\n  for", "  for"));
  expect_noticed(task, broken(*kernel, "wm_group, wm_parts_1[0]", "wm_group, wm_parts_1[1]"));
}

TEST_F(SplitRows, ComputesTheSame) { expect_all_same(column_task(), "split_rows"); }

TEST_F(SplitRows, BrokenRewritesAreNoticed) {
  const auto task = column_task();
  const auto kernel = rewritten(task, "split_rows", "parts=8");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "wm_from < 8u", "wm_from < 7u"));
  expect_noticed(task, broken(*kernel, "row += 8 * (2)", "row += 8"));
  auto small = *kernel;
  small.plan.scratch[0].elements = "32";
  expect_noticed(task, small);
}

}  // namespace
}  // namespace warpmind::rewrites
