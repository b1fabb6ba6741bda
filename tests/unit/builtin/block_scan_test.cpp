#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One thread a row, or with `head` something else.
SceneOf scan_kernel(const std::string& body,
                    const std::string& head = "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n",
                    const std::string& grid = "ceil_div(rows, block_x)") {
  const auto buffer = [](std::string name, ArgumentKind kind, std::vector<std::string> shape) {
    return Argument{std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
  };
  return {
      "// Prefixes.\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int rows, int columns) {\n" +
          head + "  if (r >= rows) return;\n" + body + "}\n",
      {buffer("x", ArgumentKind::in, {"rows", "columns"}),
       buffer("y", ArgumentKind::out, {"rows", "columns"})},
      {{"k", {grid, "1", "1"}, {"64", "1", "1"}, "0", {"x", "y", "i32:rows", "i32:columns"}}},
      {{{"rows", 512}, {"columns", 4096}}, {{"rows", 3}, {"columns", 5}}}};
}

std::string block_refusal(const std::string& body) {
  return scan_kernel(body, "  int r = blockIdx.x;\n", "rows").offer("block_scan").refusal;
}

const char* const kRunningSum =
    "  float sum = 0.0f;\n"
    "  // Left to right.\n"
    "  for (int c = 0; c < columns; ++c) {\n"
    "    sum += x[r * columns + c];  // one more\n"
    "    y[r * columns + c] = sum;\n"
    "  }\n";

const char* const kOwnPrefix =
    "  for (int c = threadIdx.x; c < columns; c += blockDim.x) {\n"
    "    float sum = 0.0f;\n"
    "    for (int k = 0; k <= c; ++k) sum += x[r * columns + k];\n"
    "    y[r * columns + c] = sum;\n"
    "  }\n";

TEST(BlockScanTest, ScansASerialRow) {
  const auto scene = scan_kernel(kRunningSum);
  const auto offer = scene.offer("block_scan");
  ASSERT_EQ(offer.moves.size(), 6U);
  EXPECT_GT(offer.moves.front().prior_gain, 5);
  const auto kernel = scene.apply("block_scan", "kernel=k;lanes=128");
  EXPECT_THAT(kernel.source, HasSubstr("wm_terms[wm_item] = x[r * columns + c];"));
  EXPECT_THAT(kernel.source,
              HasSubstr("sum = wm_sum_of::of(sum, wm_terms[wm_item]);  // one more"));
  EXPECT_THAT(kernel.source, HasSubstr("  sum = wm_carry;"));
  EXPECT_THAT(kernel.source, HasSubstr("  // Left to right.\n"));
  EXPECT_EQ(kernel.plan.launches.front().block[0], "128");
  EXPECT_EQ(kernel.plan.launches.front().grid[0], "(ceil_div(rows, 64)) * 64");
}

TEST(BlockScanTest, ScansWhatEachOutputSumsAnew) {
  const auto scene = scan_kernel(kOwnPrefix, "  int r = blockIdx.x;\n", "rows");
  const auto offer = scene.offer("block_scan");
  ASSERT_EQ(offer.moves.size(), 1U);
  EXPECT_EQ(offer.moves.front().parameters, "kernel=k;lanes=64");
  EXPECT_GT(offer.moves.front().prior_gain, 100);
  const auto kernel = scene.apply("block_scan", "lanes=64");
  EXPECT_THAT(kernel.source, Not(HasSubstr("k <= c")));
  EXPECT_EQ(kernel.plan.launches.front().grid[0], "rows");
}

TEST(BlockScanTest, SaysWhatStandsInTheWayOfASerialRow) {
  const auto refusal = [](const std::string& body) {
    return scan_kernel(body).offer("block_scan").refusal;
  };
  EXPECT_THAT(refusal("  y[r] = x[r];\n"), HasSubstr("no loop leaves something for every prefix"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int c = 0; c < columns; ++c) {\n"
                      "    s = s * 0.5f + x[r * columns + c];\n    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("'s' is carried from one iteration to the next"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int c = 0; c < columns; ++c) {\n"
                      "    float t = x[r * columns + c] - s;\n    s += t;\n"
                      "    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("the term depends on 's'"));
  EXPECT_THAT(
      refusal("  float s = 0;\n  for (int c = 0; c < columns; ++c) {\n"
              "    if (s < 9) s += x[r * columns + c];\n    y[r * columns + c] = s;\n  }\n"),
      HasSubstr("'s' is read beside its update"));
  EXPECT_THAT(refusal("  float s = 0, t = 0;\n  for (int c = 0; c < columns; ++c) {\n"
                      "    s += x[r * columns + c];\n    t += s;\n"
                      "    y[r * columns + c] = t;\n  }\n"),
              HasSubstr("it carries both"));
  EXPECT_THAT(refusal("  int s = 0;\n  for (int c = 0; c < columns; ++c) {\n"
                      "    s += x[r * columns + c];\n    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("'s' is an integer, its terms may not be"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int c = 0; c < columns; ++c) {\n"
                      "    s += x[c * rows + r];\n    y[c * rows + r] = s;\n  }\n"),
              HasSubstr("neighbouring threads read neighbouring elements already"));
  auto exact = scan_kernel(kRunningSum);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(exact.offer("block_scan").refusal, HasSubstr("exact sum 'sum'"));
  exact.task().contract.tolerance = ToleranceClass::reduction;
  exact.task().kernel = exact.apply("block_scan", "lanes=32");
  EXPECT_THAT(exact.offer("block_scan").refusal, HasSubstr("shared by lanes already"));
}

TEST(BlockScanTest, SaysWhatStandsInTheWayOfPrefixes) {
  EXPECT_THAT(block_refusal("  for (int c = threadIdx.x; c < columns; c += blockDim.x) {\n"
                            "    float s = 0;\n"
                            "    for (int k = 0; k <= c; ++k) s += x[r * columns + c - k] * k;\n"
                            "    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("its terms depend on 'c'"));
  EXPECT_THAT(block_refusal("  for (int c = threadIdx.x; c < columns; c += blockDim.x) {\n"
                            "    float s = x[c];\n"
                            "    for (int k = 0; k <= c; ++k) s += x[r * columns + k];\n"
                            "    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("'s' does not start anew"));
  EXPECT_THAT(block_refusal("  for (int c = threadIdx.x; c < columns; c += blockDim.x) {\n"
                            "    float s = 0;\n"
                            "    for (int k = 1; k <= c; ++k) s += x[r * columns + k];\n"
                            "    y[r * columns + c] = s;\n  }\n"),
              HasSubstr("do not start where the outputs do"));
  EXPECT_THAT(block_refusal(std::string("  if (threadIdx.x > 7) return;\n") + kOwnPrefix),
              HasSubstr("not all threads of a block come to it"));
  auto odd = scan_kernel(kOwnPrefix, "  int r = blockIdx.x;\n", "rows");
  odd.task().kernel.plan.launches[0].block[0] = "96";
  EXPECT_THAT(odd.offer("block_scan").refusal, HasSubstr("no power of two"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
