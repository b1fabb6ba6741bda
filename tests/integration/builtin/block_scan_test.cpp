#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// One thread a row of x; `body` runs behind the guard.
Task scan_task(const std::string& body, const std::string& block = "64") {
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
                  output("counts", Dtype::i32, {"rows", "columns"})},
                 {launch},
                 {{{"rows", 5}, {"columns", 1300}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 35}, {"columns", 3}},
                  {{"rows", 2}, {"columns", 257}}});
}

const char* const kInclusive = R"(
  float sum = 2.0f;
  const float* line = x + row * columns;
  for (int i = 0; i < columns; ++i) {
    sum += line[i];
    y[row * columns + i] = sum;
    counts[row * columns + i] = i;
  }
  out[row] = sum;
)";

// Exclusive, masked, behind a reduction of the same row, and read again.
const char* const kMasked = R"(
  float most = -100.0f;
  for (int i = 0; i < columns; ++i) most = fmaxf(most, x[row * columns + i]);
  float sum = 0.0f;
  #pragma unroll 4
  for (int i = 0; i < columns; i++) {
    y[row * columns + i] = sum;
    if (keys[row * columns + i] > 4) {
      const float value = x[row * columns + i] + most;
      sum += value;
    }
  }
  int seen = 3;
  for (int i = 1; i <= columns; ++i) {
    const int key = keys[row * columns + i - 1];
    if (key == 7) { counts[row * columns + i - 1] = -1; continue; }
    seen -= key;
    counts[row * columns + i - 1] = seen * (y[row * columns + columns - i] > 0 ? 1 : 2);
  }
  out[row] = sum;
)";

// From the right; extremes, which have no neutral value.
const char* const kFromTheRight = R"(
  float most = x[row * columns + columns - 1], least = 5.0f;
  for (int i = columns - 1; i >= 0; --i) {
    const float value = x[row * columns + i];
    if (value > most) most = value;
    y[row * columns + i] = most;
  }
  for (long long i = columns; i > 0; i--) {
    least = least < x[row * columns + i - 1] ? least : x[row * columns + i - 1];
    y[row * columns + i - 1] += 100 * least;
  }
  for (int i = 0; i < columns; ++i) counts[row * columns + i] = 1;
  out[row] = most - least;
)";

/// One block a row; `loop` runs over the columns.
Task prefix_task(const std::string& type, const std::string& loop, const std::string& block) {
  const std::string source = "extern \"C\" __global__ void k(const int* x, " + type +
                             "* y, long long rows, long long columns) {\n"
                             "  int row = blockIdx.x;\n  if (row >= rows) return;\n" +
                             loop + "}\n";
  Launch launch{
      "k", {"rows", "1", "1"}, {block, "1", "1"}, "0", {"x", "y", "i64:rows", "i64:columns"}};
  return task_of(source,
                 {ranged("x", Dtype::i32, {"rows", "columns"}, 0, 2),
                  output("y", type == "int" ? Dtype::i32 : Dtype::f32, {"rows", "columns"})},
                 {launch},
                 {{{"rows", 3}, {"columns", 1100}},
                  {{"rows", 1}, {"columns", 1}},
                  {{"rows", 4}, {"columns", 33}}});
}

const char* const kProducts = R"(
  // All threads of a block share a row.
  for (int col = threadIdx.x; col < columns; col += blockDim.x) {
    float acc = 1.0f;
    for (int k = 0; k <= col; ++k) {
      acc *= x[row * columns + k] == 0 ? -1.0f : 1.0f;
    }
    y[row * columns + col] = acc;
  }
)";

const char* const kBefore = R"(
  const int lane = threadIdx.x;
  for (long long c = lane; c < columns; c += blockDim.x) {
    const int own = x[row * columns + c];
    int sum = 7;
    for (long long k = 0; k < c; ++k)
      if (x[row * columns + k] != 1) sum += x[row * columns + k];
    if (own == 2) continue;
    y[row * columns + c] = sum * 4 + own;
  }
)";

class BlockScan : public RewriteTest {};

TEST_F(BlockScan, LeavesTheSamePrefixes) {
  expect_all_same(scan_task(kInclusive), "block_scan");
  expect_same(scan_task(kInclusive, "6"), "block_scan", "kernel=k;lanes=32");
}

TEST_F(BlockScan, LeavesTheSameOfMaskedTerms) {
  expect_same(scan_task(kMasked), "block_scan", "kernel=k;lanes=32");
  expect_same(scan_task(kMasked), "block_scan", "kernel=k;lanes=128");
  expect_same(scan_task(kMasked), "block_scan", "kernel=k;lanes=512");
}

TEST_F(BlockScan, LeavesTheSameFromTheRight) {
  expect_same(scan_task(kFromTheRight), "block_scan", "kernel=k;lanes=32");
  expect_same(scan_task(kFromTheRight), "block_scan", "kernel=k;lanes=256");
}

TEST_F(BlockScan, LeavesTheSameAsASumForEachPrefix) {
  expect_all_same(prefix_task("float", kProducts, "64"), "block_scan");
  expect_all_same(prefix_task("float", kProducts, "256"), "block_scan");
  expect_all_same(prefix_task("int", kBefore, "32"), "block_scan");
  expect_all_same(prefix_task("int", kBefore, "1024"), "block_scan");
}

TEST_F(BlockScan, BrokenRewritesAreNoticed) {
  const auto task = scan_task(kInclusive);
  const auto kernel = rewritten(task, "block_scan", "lanes=64");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "sum = wm_before[wm_item];", ""));
  expect_noticed(task, broken(*kernel, "if (wm_at < wm_count)", ""));
  expect_noticed(task, broken(*kernel, "carry = Combine::of(carry, __shfl", "carry = (__shfl"));
  expect_noticed(task, broken(*kernel, "    __syncthreads();\n    T total", "    T total"));
  expect_noticed(task, broken(*kernel, "sum = wm_carry;", ""));
  const auto prefixes = prefix_task("int", kBefore, "64");
  const auto scan = rewritten(prefixes, "block_scan", "lanes=64");
  ASSERT_TRUE(scan.has_value()) << scan.error().message;
  expect_noticed(prefixes, broken(*scan, "int wm_carry = 7", "int wm_carry = 8"));
  expect_noticed(prefixes, broken(*scan, "wm_tile += 512u", "wm_tile += 513u"));
}

}  // namespace
}  // namespace warpmind::rewrites
