#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

class TiledTranspose : public RewriteTest {
 protected:
  static Task small_transpose() {
    auto task = shipped_task("transpose");
    EXPECT_TRUE(task.has_value());
    task->workloads.pop_back();
    task->workloads.back().timed = true;
    return *task;
  }
};

TEST_F(TiledTranspose, ComputesTheSameOnTheShippedTask) {
  expect_all_same(small_transpose(), "tiled_transpose");
}

TEST_F(TiledTranspose, ComputesTheSameWithBatchesBiasAndStridedLoads) {
  const std::string source = R"(#include <cuda_fp16.h>
extern "C" __global__ void turn(const __half* x, const __half* bias, const __half* rest, float* y,
                                int rows, int columns) {
  // Neighbouring threads store side by side and load a row apart.
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y, batch = blockIdx.z;
  if (r >= rows || columns <= c) return;
  float value = __half2float(x[(batch * rows + r) * columns + c]) + __half2float(bias[c]);
  y[(batch * columns + c) * rows + r] = value - __half2float(rest[(batch * columns + c) * rows + r]);
}
)";
  std::string apart = source;
  apart.replace(apart.find(", batch = "), 2, ";\n  const int ");
  Launch launch{"turn",
                {"ceil_div(rows, block_x)", "ceil_div(columns, block_y) + 1", "batches"},
                {"64", "2", "1"},
                "0",
                {"x", "bias", "rest", "y", "i32:rows", "i32:columns"}};
  const std::vector<Sizes> sizes{{{"batches", 2}, {"rows", 67}, {"columns", 35}},
                                 {{"batches", 1}, {"rows", 1}, {"columns", 1}},
                                 {{"batches", 3}, {"rows", 32}, {"columns", 64}}};
  const Task task = task_of(apart,
                            {input("x", Dtype::f16, {"batches", "rows", "columns"}),
                             input("bias", Dtype::f16, {"columns"}),
                             input("rest", Dtype::f16, {"batches", "columns", "rows"}),
                             output("y", Dtype::f32, {"batches", "columns", "rows"})},
                            {launch}, sizes);
  expect_all_same(task, "tiled_transpose");
  Task together = task;
  together.kernel.source = source;  // the plain spelling takes the declaration apart
  expect_all_same(together, "tiled_transpose");
}

TEST_F(TiledTranspose, SeededFaultsAreNoticed) {
  const Task task = small_transpose();
  const auto kernel = rewritten(task, "tiled_transpose", "tile=32;rows=8");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "row < rows && ", ""));
  expect_noticed(task, broken(*kernel, "  __syncthreads();\n", ""));
  expect_noticed(task,
                 broken(*kernel, "blockIdx.y * 32 + threadIdx.x", "blockIdx.y * 32 + threadIdx.y"));
}

}  // namespace
}  // namespace warpmind::rewrites
