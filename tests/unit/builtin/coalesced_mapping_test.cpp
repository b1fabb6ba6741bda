#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

/// One thread a column.
SceneOf column_kernel(const std::string& body) {
  const auto buffer = [](std::string name, ArgumentKind kind, std::vector<std::string> shape) {
    return Argument{std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
  };
  return {
      "// Sums.\n"
      "extern \"C\" __global__ void k(const float* x, float* out, int rows, int columns) {\n"
      "  int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (c >= columns) return;\n" +
          body + "}\n",
      {buffer("x", ArgumentKind::in, {"rows", "columns"}),
       buffer("out", ArgumentKind::out, {"columns"})},
      {{"k",
        {"ceil_div(columns, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "out", "i32:rows", "i32:columns"}}},
      {{{"rows", 4096}, {"columns", 1024}}, {{"rows", 3}, {"columns", 5}}}};
}

const char* const kColumnSum =
    "  float sum = 1.0f;\n"
    "  for (int r = 0; r < rows; ++r) sum += x[r * columns + c];\n"
    "  out[c] = sum;\n";

TEST(CoalescedMappingTest, SharesAColumnAmongLanesOfABlock) {
  const auto scene = column_kernel(kColumnSum);
  EXPECT_FALSE(scene.offer("coalesced_mapping").moves.empty());
  const auto kernel = scene.apply("coalesced_mapping", "kernel=k;columns=16;lanes=32");
  EXPECT_THAT(kernel.source, HasSubstr("for (int r = wm_lane; r < rows; r += 32)"));
  EXPECT_THAT(kernel.source, HasSubstr("  sum = wm_sum_of::of(sum, wm_part_1);\n  out[c] = sum;"));
  EXPECT_THAT(kernel.source, HasSubstr("// Sums.\nextern \"C\" __global__ void k("));
  const auto& launch = kernel.plan.launches.front();
  EXPECT_EQ(launch.grid[0], "(ceil_div(columns, 64)) * 4");
  EXPECT_EQ(launch.block, (std::array<std::string, 3>{"16", "32", "1"}));
}

TEST(CoalescedMappingTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const std::string& body) {
    return column_kernel(body).offer("coalesced_mapping").refusal;
  };
  EXPECT_THAT(refusal("  float s = 0;\n  for (int r = 0; r < columns; ++r) "
                      "s += x[c * columns + r];\n  out[c] = s;\n"),
              HasSubstr("neighbouring threads do not read neighbouring elements"));
  EXPECT_THAT(refusal("  out[c] = 0;\n  float s = 0;\n  for (int r = 0; r < rows; ++r) "
                      "s += x[r * columns + c];\n  out[c] = s;\n"),
              HasSubstr("it stores 'out[c]' before the loop"));
  EXPECT_THAT(refusal("  float s = 0, t = 0;\n"
                      "  for (int r = 0; r < rows; ++r) s += x[r * columns + c];\n"
                      "  for (int r = 0; r < rows; ++r) t += x[r * columns + c] * s;\n"
                      "  out[c] = t;\n"),
              HasSubstr("several loops that reduce"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int r = 0; r < rows; ++r) {\n"
                      "    __syncthreads();\n    s += x[r * columns + c];\n  }\n  out[c] = s;\n"),
              HasSubstr("it calls __syncthreads"));
  EXPECT_THAT(refusal("  out[c] = x[c];\n"), HasSubstr("no loop that reduces"));
}

TEST(SplitRowsTest, AddsASecondLaunch) {
  const auto kernel = column_kernel(kColumnSum).apply("split_rows", "kernel=k;parts=8");
  ASSERT_EQ(kernel.plan.launches.size(), 2U);
  EXPECT_EQ(kernel.plan.launches[0].grid[1], "8");
  EXPECT_EQ(kernel.plan.launches[1].kernel, "k_wm_rest");
  EXPECT_EQ(kernel.plan.launches[1].grid[1], "1");
  EXPECT_EQ(kernel.plan.launches[1].arguments.back(), "wm_parts_1");
  ASSERT_EQ(kernel.plan.scratch.size(), 1U);
  EXPECT_EQ(kernel.plan.scratch[0].elements, "(ceil_div(columns, 64)) * 512");
  EXPECT_THAT(kernel.source, HasSubstr("float* wm_parts_1) {"));
}

TEST(SplitRowsTest, SaysWhatStandsInTheWay) {
  auto scene = column_kernel(kColumnSum);
  scene.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(scene.offer("split_rows").refusal, HasSubstr("exact sum 'sum'"));
  scene.task().contract.tolerance = ToleranceClass::reduction;
  scene.task().kernel.plan.launches[0].grid = {"ceil_div(columns, block_x)", "2", "2"};
  EXPECT_THAT(scene.offer("split_rows").refusal, HasSubstr("two axes"));
  EXPECT_THAT(scene.offer("split_rows").refusal, HasSubstr("three axes"));
  scene.task().kernel.plan.launches[0].grid = {"ceil_div(columns, block_x)", "1", "1"};
  scene.task().kernel = scene.apply("split_rows", "parts=4");
  EXPECT_THAT(scene.offer("split_rows").refusal, HasSubstr("split already"));
  // The launch that adds the parts up may still be mapped, the other not.
  for (const auto& move : scene.offer("coalesced_mapping").moves) {
    EXPECT_THAT(move.parameters, HasSubstr("kernel=k_wm_rest;"));
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
