#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

class FusePointwise : public RewriteTest {
 protected:
  static Task small_chain() {
    auto task = shipped_task("vector_add_chain");
    EXPECT_TRUE(task.has_value());
    task->workloads.pop_back();
    task->workloads.back().timed = true;
    return *task;
  }
};

TEST_F(FusePointwise, ComputesTheSameOnTheShippedTask) {
  const Task task = small_chain();
  expect_all_same(task, "fuse_pointwise");
  const auto kernel = rewritten(task, "fuse_pointwise", "max_chain=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  EXPECT_EQ(kernel->plan.launches.size(), 1U);
  EXPECT_TRUE(kernel->plan.scratch.empty());
  // What comes out is of the same shape again.
  Task fused = task;
  fused.kernel = *kernel;
  expect_all_same(fused, "vectorized_loads");
}

/// Half precision, other names and types of the index, conditional stores, a scalar argument, and
/// an intermediate that is an output.
Task mixed_chain() {
  const std::string source = R"(#include <cuda_fp16.h>
constexpr float kShift = 1.0f;
__device__ float shifted(float t) { return t + kShift; }

extern "C" __global__ void scale(const __half* x, __half* t, float factor, int rows, int columns) {
  const int n = rows * columns;
  size_t at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < static_cast<size_t>(n)) t[at] = __float2half(shifted(__half2float(x[at])) * factor);
}

extern "C" __global__ void gate(__half* x, const float* bias, float* sum, int n, int columns) {
  int at2 = blockIdx.x * blockDim.x + threadIdx.x;
  int column = at2 % columns;
  if (at2 >= n) return;
  float rows = __half2float(x[at2]) + bias[column];
  if (rows < 0.0f) x[at2] = __float2half(0.0f);
  sum[at2] = rows;
}

extern "C" __global__ void finish(const __half* t, float* sum, int n) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) sum[i] = 2.0f * sum[i] - __half2float(t[i]);
}
)";
  const auto launch = [](const char* name, std::vector<std::string> arguments, const char* block) {
    return Launch{name,
                  {"ceil_div(rows * columns, block_x)", "1", "1"},
                  {block, "1", "1"},
                  "0",
                  std::move(arguments)};
  };
  return task_of(
      source,
      {ranged("x", Dtype::f16, {"rows", "columns"}, -8, 8),
       ranged("bias", Dtype::f32, {"columns"}, -4, 4), output("t", Dtype::f16, {"rows", "columns"}),
       output("sum", Dtype::f32, {"rows", "columns"})},
      {launch("scale", {"x", "t", "f32:2", "i32:rows", "i32:columns"}, "64"),
       launch("gate", {"t", "bias", "sum", "i32:rows * columns", "i32:columns"}, "128"),
       launch("finish", {"t", "sum", "i32:rows * columns"}, "32")},
      {{{"rows", 7}, {"columns", 130}},
       {{"rows", 1}, {"columns", 1}},
       {{"rows", 3}, {"columns", 5}}});
}

TEST_F(FusePointwise, ComputesTheSameWithMixedTypesAndConditionalStores) {
  const Task task = mixed_chain();
  expect_all_same(task, "fuse_pointwise");
  const auto kernel = rewritten(task, "fuse_pointwise", "max_chain=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  EXPECT_EQ(kernel->plan.launches.size(), 1U);
}

/// C = A * B, then bias and a gate in place, then a copy in half precision.
Task product_with_tail() {
  const std::string source = R"(#include <cuda_fp16.h>
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < n;
       column += gridDim.x * blockDim.x) {
    if (row >= m) continue;
    float i = 0.0f;
    for (int at = 0; at < k; ++at) i += a[row * k + at] * b[at * n + column];
    c[row * n + column] = i;
  }
}
extern "C" __global__ void gate(float* c, const float* bias, int count, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float value = c[i] + bias[i % columns];
    if (value < 0.0f) value = -2.0f * value;
    c[i] = value;
  }
}
extern "C" __global__ void narrow(const float* c, __half* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = __float2half(c[i]);
}
)";
  Task task = task_of(
      source,
      {ranged("a", Dtype::f32, {"m", "k"}, -4, 4), ranged("b", Dtype::f32, {"k", "n"}, -4, 4),
       ranged("bias", Dtype::f32, {"n"}, -9, 9), output("out", Dtype::f16, {"m", "n"})},
      {{"product",
        {"2", "ceil_div(m, block_y)", "1"},
        {"8", "4", "1"},
        "0",
        {"a", "b", "c", "i32:m", "i32:n", "i32:k"}},
       {"gate",
        {"ceil_div(m * n, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"c", "bias", "i32:m * n", "i32:n"}},
       {"narrow",
        {"ceil_div(m * n, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"c", "out", "i32:m * n"}}},
      {{{"m", 13}, {"n", 37}, {"k", 5}},
       {{"m", 1}, {"n", 1}, {"k", 1}},
       {{"m", 5}, {"n", 16}, {"k", 4}}});
  task.kernel.plan.scratch = {{"c", Dtype::f32, "m * n"}};
  return task;
}

TEST_F(FusePointwise, ComputesTheSameInsideOfAStore) {
  const Task task = product_with_tail();
  expect_all_same(task, "fuse_pointwise");
  const auto kernel = rewritten(task, "fuse_pointwise", "max_chain=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  EXPECT_EQ(kernel->plan.launches.size(), 1U);
  EXPECT_TRUE(kernel->plan.scratch.empty());
  expect_noticed(
      task, broken(*kernel, "static_cast<int>(row * n + column)", "static_cast<int>(row * n)"));
}

TEST_F(FusePointwise, SeededFaultsAreNoticed) {
  const Task task = mixed_chain();
  const auto kernel = rewritten(task, "fuse_pointwise", "max_chain=2");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "t[at] = wm_t;", ""));
  expect_noticed(task, broken(*kernel, "__half2float(wm_t) + bias", "__half2float(x[at]) + bias"));
  expect_noticed(task, broken(*kernel, "if (at < static_cast<size_t>(n))", "if (at < 3)"));
}

}  // namespace
}  // namespace warpmind::rewrites
