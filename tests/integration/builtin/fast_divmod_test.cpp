#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Turns a batch of matrices by flat numbers of type `integer`.
Task turned(const std::string& integer, const std::string& dtype) {
  Task task = task_of(
      "extern \"C\" __global__ void turn(const float* x, float* y, " + integer + " rows, " +
          integer + " columns, " + integer + " all) {\n  " + integer +
          " i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i >= all) return;\n  const " +
          integer +
          " size = rows * columns;\n"
          "  " +
          integer + " rest = i % size;\n  " + integer +
          " row = rest / columns, column = rest % columns;\n"
          "  rest /= columns;\n"
          "  y[i / size * size + column * rows + row] = x[i] + rest;\n"
          "}\n",
      {input("x", Dtype::f32, {"batch", "rows", "columns"}),
       output("y", Dtype::f32, {"batch", "columns", "rows"})},
      {{"turn",
        {"ceil_div(batch * rows * columns, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "y", dtype + ":rows", dtype + ":columns", dtype + ":batch * rows * columns"}}},
      {{{"batch", 3}, {"rows", 17}, {"columns", 9}},
       {{"batch", 1}, {"rows", 1}, {"columns", 1}},
       {{"batch", 2}, {"rows", 64}, {"columns", 3}},
       {{"batch", 1}, {"rows", 5}, {"columns", 127}},
       {{"batch", 7}, {"rows", 2}, {"columns", 16}}});
  for (auto& workload : task.workloads) workload.timed = true;
  return task;
}

class FastDivmod : public RewriteTest {};

TEST_F(FastDivmod, GivesTheSameIndices) {
  for (const auto& [integer, dtype] : std::vector<std::pair<std::string, std::string>>{
           {"int", "i32"}, {"unsigned int", "u32"}, {"long long", "i64"}}) {
    SCOPED_TRACE(integer);
    const Task task = turned(integer, dtype);
    expect_all_same(task, "fast_divmod");
  }
}

TEST_F(FastDivmod, AWrongReciprocalIsNoticed) {
  const Task task = turned("int", "i32");
  const auto fast = rewritten(task, "fast_divmod", "width=32");
  ASSERT_TRUE(fast.has_value()) << fast.error().message;
  Kernel factor = *fast;
  bool found = false;
  for (auto& argument : factor.plan.launches[0].arguments) {
    if (argument.find("4294967296") == std::string::npos) continue;
    argument += " + 1000000000";
    found = true;
  }
  ASSERT_TRUE(found);
  expect_noticed(task, factor);
  expect_noticed(task, broken(*fast, "31 - __clz", "30 - __clz"));
  expect_noticed(task, broken(*fast, "wm_remainder(rest, columns", "wm_quotient(rest, columns"));
}

/// What the fast way does not hold for goes the slow way: numbers below zero and beyond 31 bits.
TEST_F(FastDivmod, EveryNumberIsDivided) {
  Task task = task_of(
      R"(extern "C" __global__ void divide(const int* x, int* y, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int number = (i - n / 2) * 1000003;
  unsigned large = 4294967295u - i;
  y[4 * i] = number / by;
  y[4 * i + 1] = number % by;
  y[4 * i + 2] = large / by;
  y[4 * i + 3] = i / by + x[i];
}
)",
      {input("x", Dtype::i32, {"n"}), output("y", Dtype::i32, {"4 * n"})},
      {{"divide",
        {"ceil_div(n, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "y", "i32:by", "i32:n"}}},
      {{{"n", 700}, {"by", 1}},
       {{"n", 701}, {"by", 3}},
       {{"n", 300}, {"by", 641}},
       {{"n", 99}, {"by", 1 << 20}},
       {{"n", 100}, {"by", 2147483647}}});
  for (auto& workload : task.workloads) workload.timed = true;
  expect_all_same(task, "fast_divmod");
  const auto fast = rewritten(task, "fast_divmod", "width=32");
  ASSERT_TRUE(fast.has_value()) << fast.error().message;
  expect_noticed(task, broken(*fast, "(wide >> 31) != 0", "false"));
}

}  // namespace
}  // namespace warpmind::rewrites
