#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

Task shifted_columns() {
  const std::string source =
      R"(extern "C" __global__ void shift(const int* x, int* y, int rows, int columns) {
  const int n = rows * columns;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int column = i % columns;
  if (i < n) {
    int value = x[i - column];
    for (int w = 0; w < 3; ++w) {
      if (column == w) continue;
      value += w * column;
    }
    y[i] = value;  // done
  }
}
)";
  Launch launch{"shift",
                {"ceil_div(rows * columns, block_x)", "1", "1"},
                {"32", "1", "1"},
                "0",
                {"x", "y", "i32:rows", "i32:columns"}};
  return task_of(source,
                 {ranged("x", Dtype::i32, {"rows", "columns"}, -99, 99),
                  output("y", Dtype::i32, {"rows", "columns"})},
                 {launch},
                 {{{"rows", 400}, {"columns", 33}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 7}, {"columns", 19}}});
}

class ElementLoop : public RewriteTest {};

TEST_F(ElementLoop, ComputesTheSame) {
  expect_all_same(shifted_columns(), "thread_coarsening");
  expect_all_same(shifted_columns(), "grid_stride");
}

TEST_F(ElementLoop, SeededFaultsAreNoticed) {
  const Task task = shifted_columns();
  const auto coarse = rewritten(task, "thread_coarsening", "items=4");
  ASSERT_TRUE(coarse.has_value()) << coarse.error().message;
  expect_noticed(task, broken(*coarse, "if (wm_at >= wm_count) break;", ""));
  expect_noticed(task, broken(*coarse, "blockIdx.x) * 4 + wm_item", "blockIdx.x) * 4"));
  const auto strided = rewritten(task, "grid_stride", "blocks_per_sm=2");
  ASSERT_TRUE(strided.has_value()) << strided.error().message;
  expect_noticed(task,
                 broken(*strided, "(gridDim.x) * blockDim.x", "(gridDim.x) * blockDim.x * 2"));
}

}  // namespace
}  // namespace warpmind::rewrites
