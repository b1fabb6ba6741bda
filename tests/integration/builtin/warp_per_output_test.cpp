#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// One thread a row of x; `body` runs behind the guard.
Task row_task(const std::string& body, const std::string& block = "32") {
  const std::string source =
      "extern \"C\" __global__ void k(const float* x, const int* keys, float* y, float* out, "
      "int* counts, int rows, int columns) {\n"
      "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= rows) return;\n" +
      body + "}\n";
  Launch launch{"k",
                {"ceil_div(rows, block_x)", "1", "1"},
                {block, "1", "1"},
                "0",
                {"x", "keys", "y", "out", "counts", "i32:rows", "i32:columns"}};
  return task_of(source,
                 {ranged("x", Dtype::f32, {"rows", "columns"}, -8, 8),
                  ranged("keys", Dtype::i32, {"rows", "columns"}, 0, 9),
                  output("y", Dtype::f32, {"rows", "columns"}), output("out", Dtype::f32, {"rows"}),
                  output("counts", Dtype::i32, {"rows"})},
                 {launch},
                 {{{"rows", 7}, {"columns", 130}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 33}, {"columns", 2}},
                  {{"rows", 3}, {"columns", 65}}});
}

const char* const kStatistics = R"(
  float sum = 3.0f;
  int count = 0;
  float largest = x[row * columns];
  float smallest = 100.0f;
  const float* line = x + row * columns;
  for (int i = 0; i < columns; ++i) {
    const float value = line[i];
    sum += value;
    if (keys[row * columns + i] > 4) ++count;
    largest = value > largest ? value : largest;
    if (value < smallest) smallest = value;
  }
  for (int i = 0; i < columns; ++i) y[row * columns + i] = line[i] * smallest;
  if (sum > 0)
    out[row] = sum + largest;
  else
    out[row] = sum - smallest;
  counts[row] = count;
)";

// The loop over halves is serial: only the inner one is contiguous, its sums are combined once.
const char* const kNested = R"(
  float sum = 0.0f;
  int most = 0;
  for (int part = 0; part < 2; ++part) {
    for (int i = part * (columns / 2); i < (part == 0 ? columns / 2 : columns); ++i) {
      sum += x[row * columns + i];
      most = max(most, keys[row * columns + i]);
    }
  }
  for (int i = columns - 1; i >= 0; --i) y[row * columns + i] = sum;
  counts[row] = most;
  out[row] = sum;
)";

const char* const kReadAgain = R"(
  for (int i = 0; i < columns; ++i) y[row * columns + i] = x[row * columns + i] + 1.0f;
  float sum = 0.0f;
  for (int i = 1; i < columns; ++i) sum += y[row * columns + columns - i];
  for (int i = 0; i < columns; ++i) y[row * columns + i] += sum;
  out[row] = sum + y[row * columns];
  counts[row] = 0;
)";

const char* const kMeans = R"(
__device__ float act(float v) { return v > 0 ? v : 2.0f * v; }
extern "C" __global__ void __launch_bounds__(128) k(const float* __restrict__ x, float* y,
                                                    long long n, int high, int wide) {
  long long at = (long long)blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x +
                 threadIdx.x;
  if (at >= n) return;
  const float* plane = x + at * high * wide;
  float sum = 0.f, best = -100.f;
  for (int h = 0; h < high; h++)
    for (int w = 0; w < wide; w++) {
      float v = act(plane[h * wide + w]);
      sum += v;
      if (v > best) { best = v; }
    }
  y[at] = sum + best * 256;
}
)";

/// Blocks of two axes.
Task mean_task() {
  Launch launch{"k",
                {"ceil_div(n, block_x * block_y)", "1", "1"},
                {"8", "4", "1"},
                "0",
                {"x", "y", "i64:n", "i32:high", "i32:wide"}};
  return task_of(
      kMeans,
      {ranged("x", Dtype::f32, {"n", "high", "wide"}, -8, 8), output("y", Dtype::f32, {"n"})},
      {launch},
      {{{"n", 37}, {"high", 6}, {"wide", 35}},
       {{"n", 3}, {"high", 1}, {"wide", 2}},
       {{"n", 64}, {"high", 3}, {"wide", 8}}});
}

class WarpPerOutput : public RewriteTest {};

TEST_F(WarpPerOutput, ComputesTheSameStatistics) {
  expect_all_same(row_task(kStatistics), "warp_per_output");
  expect_same(row_task(kStatistics, "6"), "warp_per_output", "kernel=k;lanes=32");
}

TEST_F(WarpPerOutput, CombinesOnceBehindNestedLoops) {
  const auto task = row_task(kNested);
  expect_same(task, "warp_per_output", "kernel=k;lanes=32");
  expect_same(task, "warp_per_output", "kernel=k;lanes=128");
}

TEST_F(WarpPerOutput, ComputesTheSameForBlocksOfTwoAxes) {
  expect_same(mean_task(), "warp_per_output", "kernel=k;lanes=32");
  expect_same(mean_task(), "warp_per_output", "kernel=k;lanes=256");
}

TEST_F(WarpPerOutput, OrdersWhatIsReadAgain) {
  const auto task = row_task(kReadAgain);
  expect_same(task, "warp_per_output", "kernel=k;lanes=32");
  expect_same(task, "warp_per_output", "kernel=k;lanes=256");
}

TEST_F(WarpPerOutput, ComputesTheSameOnShippedTasks) {
  for (const std::string name : {"row_softmax_f16", "layernorm_f16"}) {
    const auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    // expf and the order of sums of fractions: one unit of f16.
    const Closeness close{1, 0.001};
    expect_same(*task, "warp_per_output",
                "kernel=" + task->kernel.plan.launches[0].kernel + ";lanes=32", close);
    expect_same(*task, "warp_per_output",
                "kernel=" + task->kernel.plan.launches[0].kernel + ";lanes=256", close);
  }
}

TEST_F(WarpPerOutput, BrokenRewritesAreNoticed) {
  const auto task = row_task(kStatistics);
  const auto kernel = rewritten(task, "warp_per_output", "lanes=64");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "i += 64", "i += 65"));
  expect_noticed(task, broken(*kernel, "wm_before_1, wm_combine", "wm_before_1 + 1, wm_combine"));
  expect_noticed(task, broken(*kernel, "wm_combine_lanes<wm_maximum_of, 64>(largest)", "largest"));
  const auto again = rewritten(row_task(kReadAgain), "warp_per_output", "lanes=64");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  auto unordered = *again;
  for (int i = 0; i < 4; ++i) {
    unordered = broken(std::move(unordered), "  wm_lane_barrier<64>();\n", "");
  }
  expect_noticed(row_task(kReadAgain), unordered);
}

}  // namespace
}  // namespace warpmind::rewrites
