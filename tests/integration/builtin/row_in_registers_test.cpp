#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

const char* const kThreeWalks = R"(#include <cuda_fp16.h>
extern "C" __global__ void k(const __half* x, const float* gain, float* y, float* out, int rows,
                             int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* line = x + row * columns;
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += __half2float(line[i]);
  float largest = __half2float(line[0]);
  for (int i = 1; i < columns; ++i) {
    largest = fmaxf(largest, __half2float(line[i]) * gain[i]);
  }
  for (int i = 0; i < columns; ++i) {
    y[row * columns + i] = (__half2float(line[i]) - sum) * gain[i] + largest;
  }
  out[row] = sum + largest;
}
)";

Task walked_rows() {
  Launch launch{"k",
                {"ceil_div(rows, block_x)", "1", "1"},
                {"32", "1", "1"},
                "0",
                {"x", "gain", "y", "out", "i32:rows", "i32:columns"}};
  return task_of(
      kThreeWalks,
      {ranged("x", Dtype::f16, {"rows", "columns"}, -8, 8),
       ranged("gain", Dtype::f32, {"columns"}, -4, 4), output("y", Dtype::f32, {"rows", "columns"}),
       output("out", Dtype::f32, {"rows"})},
      {launch},
      {{{"rows", 5}, {"columns", 520}},
       {{"rows", 3}, {"columns", 8}},
       {{"rows", 2}, {"columns", 768}},
       {{"rows", 2}, {"columns", 1544}},
       {{"rows", 7}, {"columns", 33}}});
}

/// After warp_per_output.
Task of_lanes(Task task, const std::string& lanes) {
  auto spread = rewritten(task, "warp_per_output", "lanes=" + lanes);
  EXPECT_TRUE(spread.has_value()) << spread.error().message;
  if (spread) task.kernel = *spread;
  return task;
}

class RowInRegisters : public RewriteTest {};

TEST_F(RowInRegisters, ComputesTheSame) {
  for (const std::string lanes : {"32", "64", "256"}) {
    const auto kernel = rewritten(of_lanes(walked_rows(), lanes), "row_in_registers", "kernel=k");
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(walked_rows(), *kernel);
  }
}

TEST_F(RowInRegisters, ComputesTheSameOnShippedTasks) {
  for (const std::string name : {"row_softmax_f16", "layernorm_f16"}) {
    auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    task->workloads[0].sizes = {{"rows", 3}, {"columns", 1024}};
    const auto spread = of_lanes(*task, "128");
    const auto kernel =
        rewritten(spread, "row_in_registers", "kernel=" + task->kernel.plan.launches[0].kernel);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(*task, *kernel, Closeness{1, 0.001});
  }
}

TEST_F(RowInRegisters, BrokenRewritesAreNoticed) {
  const auto task = walked_rows();
  const auto kernel = rewritten(of_lanes(task, "32"), "row_in_registers", "kernel=k");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "columns <= 768 && ", ""));
  expect_noticed(task, broken(*kernel, "(columns) % 8 == 0 &&", "columns > 0 &&"));
  expect_noticed(task, broken(*kernel, "if (i < 1) continue;", "if (i < 9) continue;"));
  expect_noticed(task, broken(*kernel, "wm_y_pack.store(", "if (wm_i > 8) wm_y_pack.store("));
}

}  // namespace
}  // namespace warpmind::rewrites
