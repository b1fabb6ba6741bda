#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// The place of the least and of the greatest along a row or down a column, a thread each.
Task place_task(bool down, const std::string& type) {
  const std::string at = down ? "x[(long long)i * rows + row]" : "x[row * columns + i]";
  const std::string source =
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k(const " +
      type +
      "* x, long long* least_at, float* most, int* most_at, int rows, int columns) {\n"
      "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= rows) return;\n"
      "  float least = 4.0f;\n"
      "  long long place = 0;\n"
      "  float best = -3.0f;\n"
      "  int best_at = -1;\n"
      "  for (long long i = 0; i < columns; ++i) {\n"
      "    float value = " +
      at +
      ";\n"
      "    if (value < least || (value == least && i < place)) {\n"
      "      least = value;\n"
      "      place = i;\n"
      "    }\n"
      "    if (best < value) { best_at = i; best = value; }\n"
      "  }\n"
      "  least_at[row] = place;\n"
      "  most[row] = best;\n"
      "  most_at[row] = best_at;\n"
      "}\n";
  const auto shape = down ? std::vector<std::string>{"columns", "rows"}
                          : std::vector<std::string>{"rows", "columns"};
  return task_of(source,
                 {ranged("x", type == "float" ? Dtype::f32 : Dtype::f16, shape, -6, 6),
                  output("least_at", Dtype::i64, {"rows"}), output("most", Dtype::f32, {"rows"}),
                  output("most_at", Dtype::i32, {"rows"})},
                 {{"k",
                   {"ceil_div(rows, block_x)", "1", "1"},
                   {"64", "1", "1"},
                   "0",
                   {"x", "least_at", "most", "most_at", "i32:rows", "i32:columns"}}},
                 {{{"rows", 35}, {"columns", 130}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 67}, {"columns", 9}}});
}

class KeyedExtremes : public RewriteTest {};

TEST_F(KeyedExtremes, TiesGoToTheFirstAlongRows) {
  expect_same(place_task(false, "float"), "warp_per_output", "kernel=k;lanes=32");
  expect_same(place_task(false, "__half"), "warp_per_output", "kernel=k;lanes=128");
}

TEST_F(KeyedExtremes, TiesGoToTheFirstDownColumns) {
  expect_same(place_task(true, "float"), "coalesced_mapping", "kernel=k;columns=16;lanes=32");
  expect_same(place_task(true, "__half"), "coalesced_mapping", "kernel=k;columns=32;lanes=8");
  expect_same(place_task(true, "float"), "split_rows", "kernel=k;parts=8");
}

TEST_F(KeyedExtremes, BrokenRewritesAreNoticed) {
  const auto task = place_task(false, "float");
  const auto kernel = rewritten(task, "warp_per_output", "kernel=k;lanes=32");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "~static_cast<unsigned>(number + 1)",
                              "static_cast<unsigned>(number + 1)"));
  expect_noticed(task, broken(*kernel, "wm_smaller_key(value, i)", "wm_greater_key(value, i)"));
  expect_noticed(task, broken(*kernel, "wm_first_greater_key(best, best_at)",
                              "wm_first_greater_key(9.0f, best_at)"));
  expect_noticed(task, broken(*kernel, "static_cast<unsigned long long>(high) << 32",
                              "static_cast<unsigned long long>(high) << 31"));
}

}  // namespace
}  // namespace warpmind::rewrites
