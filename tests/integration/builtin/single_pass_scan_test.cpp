#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

constexpr const char* kSkill = "single_pass_scan";
constexpr const char* kSmall = "threads=64;pieces=1";

/// One thread walks x; tiles of the smallest choice hold 256 terms.
Task vector_task(const std::string& body, const std::string& type = "int",
                 const std::string& guard = "if (threadIdx.x != 0) return;") {
  const Dtype dtype = type == "float" ? Dtype::f32 : type == "double" ? Dtype::f64 : Dtype::i32;
  const std::string source = "extern \"C\" __global__ void k(const " + type +
                             "* x, const int* keys, " + type + "* y, int* counts, int n) {\n  " +
                             guard + "\n" + body + "}\n";
  Launch launch{"k", {"1", "1", "1"}, {"32", "1", "1"}, "0", {"x", "keys", "y", "counts", "i32:n"}};
  return task_of(source,
                 {ranged("x", dtype, {"n"}, -8, 8), ranged("keys", Dtype::i32, {"n"}, 0, 3),
                  output("y", dtype, {"n + 1"}), output("counts", Dtype::i32, {"4 * n + 1"})},
                 {launch}, {{{"n", 9001}}, {{"n", 1}}, {{"n", 255}}, {{"n", 256}}, {{"n", 257}}});
}

const char* const kExclusive = R"(
  int sum = 5;
  for (int i = 0; i < n; ++i) { y[i] = sum; sum += x[i]; }
  for (int i = 0; i <= 4 * n; ++i) counts[i] = i;
  y[n] = sum;
)";

// Two running values, a loop that counts, a term that is only looked for in the iteration.
const char* const kAdvance = R"(
  int next = 0, seen = 2;
  y[n] = 0;
  for (int b = 0; b < n; ++b) {
    int right = 0;
    while (right < keys[b] && x[b] > right) ++right;
    y[b] = right + seen;
    for (int j = 0; j < keys[b]; ++j) {
      counts[next] = y[b] * 4 + j;
      ++next;
    }
    seen += keys[b] * 2;
  }
  for (; next < 4 * n + 1; ++next) counts[next] = -1;
)";

const char* const kCompacted = R"(
  int found = 0;
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
    if (keys[i] == 0) continue;
    if (x[i] > 0) counts[found++] = x[i];
  }
  y[n] = found;
  for (int i = found; i <= 4 * n; ++i) counts[i] = 0;
)";

const char* const kRunningMost = R"(
  float most = -100.0f;
  double sum = 1.0;
  y[n] = 0;
  for (int i = n - 1; i >= 0; --i) {
    if (keys[i] != 2) { if (x[i] > most) most = x[i]; }
    sum -= x[i];
    y[i] = most + static_cast<float>(sum);
  }
  for (int i = 0; i <= 4 * n; ++i) counts[i] = most;
)";

/// One thread, or the first of a block, walks a row.
Task row_task(const std::string& head, const std::string& grid) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* x, float* y, float* out, int rows, int columns) "
      "{\n" +
      head +
      "  float sum = 0.5f;\n  const float* line = x + row * columns;\n"
      "  for (int i = 0; i < columns; ++i) {\n    sum += line[i];\n"
      "    y[row * columns + i] = sum;\n  }\n  out[row] = sum;\n}\n";
  Launch launch{
      "k", {grid, "1", "1"}, {"64", "1", "1"}, "0", {"x", "y", "out", "i32:rows", "i32:columns"}};
  return task_of(
      source,
      {ranged("x", Dtype::f32, {"rows", "columns"}, -8, 8),
       output("y", Dtype::f32, {"rows", "columns"}), output("out", Dtype::f32, {"rows"})},
      {launch}, {{{"rows", 5}, {"columns", 1300}}, {{"rows", 3}, {"columns", 257}}});
}

// Through memory: exclusive by one place, and in place from the right.
const char* const kHandedOn = R"(
  y[0] = keys[0];
  for (int i = 1; i <= n; ++i) {
    y[i] = y[i - 1] + x[i - 1];
  }
  for (int i = 0; i <= 4 * n; ++i) counts[i] = 3;
)";

const char* const kInPlace = R"(
  for (int i = n - 1; i >= 0; i--) y[i] += y[i + 1];
)";

class SinglePassScan : public RewriteTest {};

TEST_F(SinglePassScan, LeavesTheSamePrefixes) {
  expect_all_same(vector_task(kExclusive), kSkill);
  expect_same(vector_task(kExclusive), kSkill, kSmall);
  std::string doubles = kExclusive;
  doubles.replace(doubles.find("int"), 3, "double");
  expect_same(vector_task(doubles, "double", "if (blockIdx.x + threadIdx.x > 0) return;"), kSkill,
              kSmall);
}

TEST_F(SinglePassScan, LeavesTheSameOfSeveralRunningValues) {
  expect_same(vector_task(kAdvance), kSkill, kSmall);
}

TEST_F(SinglePassScan, LeavesTheSameOfWhatIsCompacted) {
  expect_same(vector_task(kCompacted), kSkill, kSmall);
}

TEST_F(SinglePassScan, LeavesTheSameFromTheRight) {
  expect_same(vector_task(kRunningMost, "float"), kSkill, kSmall);
}

TEST_F(SinglePassScan, LeavesTheSameOfWhatMemoryHandsOn) {
  expect_same(vector_task(kHandedOn), kSkill, kSmall);
  auto in_place = vector_task(kInPlace);
  in_place.arguments[2] = ranged("y", Dtype::i32, {"n + 1"}, -8, 8);
  in_place.arguments[2].kind = ArgumentKind::inout;
  in_place.arguments[3] = ranged("counts", Dtype::i32, {"4"}, 0, 1);
  expect_same(in_place, kSkill, kSmall);
}

TEST_F(SinglePassScan, LeavesTheSameOfRows) {
  expect_same(row_task("  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (row >= rows) return;\n",
                       "ceil_div(rows, block_x)"),
              kSkill, kSmall);
  expect_same(row_task("  int row = blockIdx.x;\n  if (threadIdx.x > 0) return;\n", "rows"), kSkill,
              "threads=128;pieces=2");
}

TEST_F(SinglePassScan, LeavesTheSameOfShippedTasks) {
  for (const std::string name : {"exclusive_scan", "emssd_accept_advance"}) {
    auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    task->workloads.clear();
    const std::string size = name == "exclusive_scan" ? "n" : "batch";
    for (const std::int64_t extent : {1, 300, 2051}) {
      task->workloads.push_back({"of_" + std::to_string(extent), {{size, extent}}, extent > 1});
    }
    expect_same(*task, kSkill, kSmall);
    expect_same(*task, kSkill, "threads=256;pieces=2");
  }
}

TEST_F(SinglePassScan, BrokenRewritesAreNoticed) {
  const auto task = vector_task(kExclusive);
  const auto kernel = rewritten(task, kSkill, kSmall);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "tile % 32u == 31u", "tile % 32u == 30u"));
  expect_noticed(task, broken(*kernel, "ticket = drawn;", "ticket = gridDim.x - 1 - blockIdx.x;"));
  expect_noticed(task, broken(*kernel, "kReady | words.at[i];", "words.at[i];"));
  expect_noticed(
      task, broken(*kernel, "if (lane == 0) warp_totals[warp] = warp_total;\n    __syncthreads();",
                   "if (lane == 0) warp_totals[warp] = warp_total;"));
}

}  // namespace
}  // namespace warpmind::rewrites
