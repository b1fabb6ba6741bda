#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Rows of a width that the plan gives as a macro.
Task rows_of_width() {
  Task task = task_of(
      R"(#ifndef WIDTH
#define WIDTH 8
#endif
extern "C" __global__ void shares(const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = 0.0f;
  for (int i = 0; i < WIDTH; ++i) most = fmaxf(most, x[row * WIDTH + i]);
  for (int i = 0; i < WIDTH; ++i) y[row * WIDTH + i] = most - x[row * WIDTH + i];
}
)",
      {input("x", Dtype::f32, {"rows", "96"}), output("y", Dtype::f32, {"rows", "96"})},
      {{"shares",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "y", "i32:rows"}}},
      {{{"rows", 70}}, {{"rows", 1}}, {{"rows", 13}}});
  task.kernel.plan.constants = {{"WIDTH", 96}};
  return task;
}

/// A product whose terms are as many as the plan says.
Task product_of_depth() {
  Task task = task_of(
      R"(extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < DEPTH; ++i) sum += a[row * DEPTH + i] * b[i * n + column];
  c[row * n + column] = sum;
}
)",
      {input("a", Dtype::f32, {"m", "24"}), input("b", Dtype::f32, {"24", "n"}),
       output("c", Dtype::f32, {"m", "n"})},
      {{"product",
        {"ceil_div(n, block_x)", "ceil_div(m, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"a", "b", "c", "i32:m", "i32:n"}}},
      {{{"m", 40}, {"n", 70}}, {{"m", 3}, {"n", 5}}});
  task.kernel.plan.constants = {{"DEPTH", 24}};
  return task;
}

class PlanConstants : public RewriteTest {};

TEST_F(PlanConstants, StayWhatTheyAreInRows) {
  const Task task = rows_of_width();
  expect_all_same(task, "warp_per_output");
  expect_all_same(task, "vectorized_loads");
  auto shared = rewritten(task, "warp_per_output", "kernel=shares;lanes=32");
  ASSERT_TRUE(shared.has_value()) << shared.error().message;
  shared->plan.constants["WIDTH"] = 95;
  expect_noticed(task, *shared);
}

TEST_F(PlanConstants, StayWhatTheyAreInContractions) {
  const Task task = product_of_depth();
  const auto offer = offer_of(task, "simt_contraction");
  ASSERT_TRUE(offer.has_value());
  ASSERT_FALSE(offer->moves.empty()) << offer->refusal;
  expect_same(task, "simt_contraction", offer->moves.front().parameters);
  auto lifted = rewritten(task, "simt_contraction", offer->moves.front().parameters);
  lifted->plan.constants["DEPTH"] = 23;
  expect_noticed(task, *lifted);
}

}  // namespace
}  // namespace warpmind::rewrites
