#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument matrix(std::string name, ArgumentKind kind, std::vector<std::string> shape) {
  return {std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
}

/// One thread a row; `body` runs behind the guard.
SceneOf row_kernel(const std::string& body, const std::string& head = "") {
  return {head +
              "extern \"C\" __global__ void k(const float* x, float* y, float* out, int rows, "
              "int columns) {\n"
              "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  if (row >= rows) return;\n" +
              body + "}\n",
          {matrix("x", ArgumentKind::in, {"rows", "columns"}),
           matrix("y", ArgumentKind::out, {"rows", "columns"}),
           matrix("out", ArgumentKind::out, {"rows"})},
          {{"k",
            {"ceil_div(rows, block_x)", "1", "1"},
            {"64", "1", "1"},
            "0",
            {"x", "y", "out", "i32:rows", "i32:columns"}}},
          {{{"rows", 4096}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}}};
}

std::string refusal(const std::string& body, const std::string& head = "") {
  const auto offer = row_kernel(body, head).offer("warp_per_output");
  EXPECT_TRUE(offer.moves.empty()) << body;
  return offer.refusal;
}

constexpr const char* kRowSum =
    "  float sum = 0.0f;\n"
    "  // along the row\n"
    "#pragma unroll 4\n"
    "  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];\n"
    "  out[row] = sum;\n";

TEST(WarpPerOutputTest, SharesARowAmongLanes) {
  const auto scene = row_kernel(kRowSum);
  EXPECT_EQ(scene.offer("warp_per_output").moves.front().parameters, "kernel=k;lanes=256");
  const auto kernel = scene.apply("warp_per_output", "kernel=k;lanes=32");
  EXPECT_THAT(kernel.source, HasSubstr("  // along the row\n"
                                       "#pragma unroll 4\n"
                                       "  for (int i = wm_lane; i < columns; i += 32) sum +="));
  EXPECT_THAT(kernel.source, HasSubstr("sum = wm_combine_lanes<wm_sum_of, 32>(sum);\n"));
  EXPECT_THAT(kernel.source, HasSubstr("if (wm_lane == 0) out[row] = sum;"));
  EXPECT_THAT(kernel.source, HasSubstr("int row = wm_block_x * 64u + wm_thread_x;"));
  const auto& launch = kernel.plan.launches.front();
  EXPECT_EQ(launch.grid[0], "(ceil_div(rows, 64)) * 16");
  EXPECT_EQ(launch.block[0], "128");
}

TEST(WarpPerOutputTest, KeepsWhatASumStartedWith) {
  const auto kernel = row_kernel(
                          "  float sum = out[0];\n"
                          "  for (int i = 2; i <= columns; i += 1) sum -= x[row * columns + i];\n"
                          "  y[row] = sum;\n")
                          .apply("warp_per_output", "lanes=128");
  EXPECT_THAT(kernel.source, HasSubstr("const float wm_before_1 = sum;\n  sum = 0.0f;\n"));
  EXPECT_THAT(kernel.source, HasSubstr("for (int i = 2 + wm_lane; i <= columns; i += 128)"));
  EXPECT_THAT(
      kernel.source,
      HasSubstr("sum = wm_sum_of::of(wm_before_1, wm_combine_lanes<wm_sum_of, 128>(sum));"));
}

TEST(WarpPerOutputTest, LeavesOtherKernelsAlone) {
  const std::string other =
      "// Scales.\nextern \"C\" __global__ void scale(float* v) { v[threadIdx.x] *= 2; }\n";
  const auto kernel = row_kernel(kRowSum, other).apply("warp_per_output", "lanes=32");
  EXPECT_THAT(kernel.source, HasSubstr(other));
}

TEST(WarpPerOutputTest, PutsBarriersAroundAnArrayThatIsReadAgain) {
  const auto kernel =
      row_kernel(
          "  for (int i = 0; i < columns; ++i) y[row * columns + i] = x[row * columns + i];\n"
          "  out[row] = y[row * columns + columns - 1];\n")
          .apply("warp_per_output", "lanes=64");
  EXPECT_THAT(kernel.source, HasSubstr("  wm_lane_barrier<64>();\n  for ("));
  EXPECT_THAT(kernel.source, HasSubstr("];\n  wm_lane_barrier<64>();\n  if (wm_lane == 0) out"));
}

TEST(WarpPerOutputTest, SaysWhatStandsInTheWay) {
  EXPECT_THAT(refusal("  float s = 0;\n  for (int i = 0; i < columns; ++i) {\n"
                      "    s = s * 0.5f + x[row * columns + i];\n  }\n  out[row] = s;\n"),
              HasSubstr("'s' is carried"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int i = 0; i < columns; ++i) {\n"
                      "    s += x[row * columns + i];\n    y[row * columns + i] = s;\n  }\n"),
              HasSubstr("'s' is carried"));
  EXPECT_THAT(refusal("  for (int i = 1; i < columns; ++i) {\n"
                      "    y[row * columns + i] = y[row * columns + i - 1] + 1;\n  }\n"),
              HasSubstr("may meet"));
  EXPECT_THAT(
      refusal("  float s = 0;\n  for (int i = 0; i < columns; ++i) {\n"
              "    if (x[row * columns + i] < 0) break;\n    s += 1;\n  }\n  out[row] = s;\n"),
      HasSubstr("break off"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int i = 0; i < columns; ++i) "
                      "s += guess(x[row * columns + i]);\n  out[row] = s;\n"),
              HasSubstr("guess, which is not known"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int i = 0; i < rows; ++i) "
                      "s += x[i * rows + row];\n  out[row] = s;\n"),
              HasSubstr("no access is contiguous"));
  EXPECT_THAT(refusal("  float s = 0;\n  for (int i = 0; i < columns; ++i) "
                      "s += x[row + i];\n  out[row] = s;\n"),
              HasSubstr("neighbouring threads"));
  EXPECT_THAT(refusal("  __shared__ float t[64];\n  t[threadIdx.x] = 0;\n  float s = 0;\n"
                      "  for (int i = 0; i < columns; ++i) s += x[row * columns + i];\n"
                      "  out[row] = s + t[threadIdx.x];\n"),
              HasSubstr("shared memory"));
  EXPECT_THAT(refusal("  for (int i = 0; i < columns; ++i) y[row] = x[row * columns + i];\n"),
              HasSubstr("stored by several iterations"));
}

TEST(WarpPerOutputTest, AsksTheContractBeforeItReordersSums) {
  auto exact = row_kernel(kRowSum);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(exact.offer("warp_per_output").refusal, HasSubstr("exact sum 'sum'"));
}

TEST(WarpPerOutputTest, TwoParametersThatAreOneBufferAreOneBuffer) {
  auto scene =
      row_kernel("  for (int i = 0; i < columns; ++i) y[row * columns + i] = x[row * columns];\n");
  EXPECT_FALSE(scene.offer("warp_per_output").moves.empty());
  scene.task().kernel.plan.launches[0].arguments[0] = "y";
  EXPECT_THAT(scene.offer("warp_per_output").refusal, HasSubstr("may meet"));
}

TEST(WarpPerOutputTest, IsAppliedOnce) {
  auto scene = row_kernel(kRowSum);
  scene.task().kernel = scene.apply("warp_per_output", "lanes=32");
  EXPECT_THAT(scene.offer("warp_per_output").refusal, HasSubstr("shared by lanes already"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
