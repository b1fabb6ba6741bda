#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Sums and a copy of rows, one thread a row, with indices that are wider than they need be.
Task row_work() {
  return task_of(
      R"(extern "C" __global__ void rows_of(const float* x, float* copy, float* sums,
                                   long long rows, long long columns) {
  long long row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (long long i = 0; i < columns; ++i) sum += x[row * columns + i];
  for (long long i = 0; i < columns; ++i) copy[row * columns + i] = sum - x[row * columns + i];
  sums[row] = sum;
}
)",
      {input("x", Dtype::f32, {"rows", "columns"}), output("copy", Dtype::f32, {"rows", "columns"}),
       output("sums", Dtype::f32, {"rows"})},
      {{"rows_of",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "copy", "sums", "i64:rows", "i64:columns"}}},
      {{{"rows", 40}, {"columns", 96}},
       {{"rows", 1}, {"columns", 1}},
       {{"rows", 13}, {"columns", 37}}});
}

/// Two launches that belong together.
Task two_steps() {
  return task_of(
      R"(extern "C" __global__ void scale(const float* x, float* between, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) between[i] = 2.0f * x[i] + i / columns;
}
extern "C" __global__ void shift(const float* between, float* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = between[i] - i % columns;
}
)",
      {input("x", Dtype::f32, {"rows", "columns"}),
       inout("between", Dtype::f32, {"rows", "columns"}),
       output("y", Dtype::f32, {"rows", "columns"})},
      {{"scale",
        {"ceil_div(rows * columns, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "between", "i32:rows", "i32:columns"}},
       {"shift",
        {"ceil_div(rows * columns, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"between", "y", "i32:rows", "i32:columns"}}},
      {{{"rows", 20}, {"columns", 24}},
       {{"rows", 1}, {"columns", 1}},
       {{"rows", 7}, {"columns", 5}}});
}

class WrappedKernels : public RewriteTest {
 protected:
  /// The task with its kernel after these, each with its first move.
  Task after(Task task, const std::vector<std::string>& chain) {
    for (const auto& technique : chain) {
      const auto offer = offer_of(task, technique, situation);
      EXPECT_TRUE(offer.has_value() && !offer->moves.empty())
          << technique << ": " << (offer ? offer->refusal : offer.error().message);
      if (!offer || offer->moves.empty()) continue;
      auto kernel = rewritten(task, technique, offer->moves.front().parameters, situation);
      EXPECT_TRUE(kernel.has_value()) << kernel.error().message;
      if (kernel) task.kernel = std::move(*kernel);
    }
    return task;
  }
};

TEST_F(WrappedKernels, AnyOrderComputesTheSame) {
  const Task task = row_work();
  for (const auto& chain : std::vector<std::vector<std::string>>{
           {"shape_specialization", "warp_per_output"},
           {"index_32bit", "warp_per_output"},
           {"index_32bit", "shape_specialization", "warp_per_output"},
           {"shape_specialization", "index_32bit", "warp_per_output", "vectorized_loads"}}) {
    SCOPED_TRACE(testing::PrintToString(chain));
    expect_same(task, after(task, chain).kernel);
  }
}

TEST_F(WrappedKernels, AllKernelsOfAPlanComputeTheSame) {
  const Task task = two_steps();
  for (const auto& chain : std::vector<std::vector<std::string>>{
           {"shape_specialization", "fuse_pointwise"},
           {"shape_specialization", "fuse_pointwise", "vectorized_loads"},
           {"shape_specialization", "thread_coarsening"}}) {
    SCOPED_TRACE(testing::PrintToString(chain));
    expect_same(task, after(task, chain).kernel);
  }
}

TEST_F(WrappedKernels, AFaultBelowTheChoiceIsNoticed) {
  const Task task = row_work();
  const Kernel kernel = after(task, {"shape_specialization", "warp_per_output"}).kernel;
  expect_noticed(task, broken(kernel, ", 40LL, 96LL);", ", 40LL, 95LL);"));
  expect_noticed(task, broken(kernel, "rows == 40LL && columns == 96LL", "rows > 0"));
}

}  // namespace
}  // namespace warpmind::rewrites
