#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Sums of blocks of rows through static and dynamic shared memory.
Task window_sums() {
  const std::string source = R"(extern "C" __global__ void __launch_bounds__(64)
window_sums(const int* x, int* y, long long rows, unsigned int columns, int window, bool add) {
  __shared__ int last;
  extern __shared__ int partial[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < rows * columns ? x[i] : 0;
  if (threadIdx.x == 0) last = static_cast<int>(rows * columns) - 1;
  __syncthreads();
  if (i > last) return;
  int sum = 0;
  for (int w = 0; w < window; ++w) {
    if (i / columns + w < rows) sum += x[(i / columns + w) * columns + i % columns];
  }
  y[i] = add ? sum + partial[threadIdx.x] : sum - partial[threadIdx.x];
}
)";
  Launch launch{"window_sums",
                {"ceil_div(rows * columns, block_x)", "1", "1"},
                {"64", "1", "1"},
                "4 * block_x",
                {"x", "y", "i64:rows", "u32:columns", "i32:window", "i32:window % 2"}};
  launch.arguments.back() = "u8:window % 2";
  return task_of(source,
                 {ranged("x", Dtype::i32, {"rows", "columns"}, -99, 99),
                  output("y", Dtype::i32, {"rows", "columns"})},
                 {launch},
                 {{{"rows", 37}, {"columns", 13}, {"window", 3}},
                  {{"rows", 1}, {"columns", 1}, {"window", 3}},
                  {{"rows", 13}, {"columns", 37}, {"window", 2}}});
}

class ShapeSpecialization : public RewriteTest {};

TEST_F(ShapeSpecialization, ComputesTheSameForItsShapeAndForOthers) {
  const Task task = window_sums();
  expect_all_same(task, "shape_specialization");
  Task several = task;
  for (auto& workload : several.workloads) workload.timed = true;
  expect_all_same(several, "shape_specialization");
  Task single = task;
  single.workloads.resize(1);
  expect_same(single, "shape_specialization", "which=all;assume=1");
}

TEST_F(ShapeSpecialization, ComputesTheSameOnAShippedTask) {
  auto task = shipped_task("row_softmax_f16");
  ASSERT_TRUE(task.has_value());
  task->workloads.pop_back();
  task->workloads.back().timed = true;
  expect_all_same(*task, "shape_specialization");
}

TEST_F(ShapeSpecialization, SeededFaultsAreNoticed) {
  const Task task = window_sums();
  const auto kernel = rewritten(task, "shape_specialization", "which=all");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "rows == 37LL && columns == 13 && ", ""));
  expect_noticed(task, broken(*kernel, "37LL, 13, 3", "37LL, 13, 2"));
}

}  // namespace
}  // namespace warpmind::rewrites
