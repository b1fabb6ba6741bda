#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

SceneOf matrix_kernel(const std::string& body) {
  return {
      "__device__ int untouched(int a) { return a; }\n"
      "extern \"C\" __global__ void t(const float* in, float* out, int rows, int columns) {\n" +
          body + "}\n",
      {{"in", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"out", ArgumentKind::out, Dtype::f32, {"columns", "rows"}, "", {}, 0, 0}},
      {{"t",
        {"ceil_div(columns, block_x)", "ceil_div(rows, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"in", "out", "i32:rows", "i32:columns"}}},
      {{{"rows", 4096}, {"columns", 4096}}, {{"rows", 3}, {"columns", 5}}}};
}

constexpr const char* kIndices =
    "  int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int row = blockIdx.y * blockDim.y + threadIdx.y;\n";

SceneOf guarded_matrix(const std::string& work) {
  return matrix_kernel(std::string(kIndices) + "  if (row < rows && column < columns) {\n" + work +
                       "  }\n");
}

std::string refusal_of(const std::string& work) {
  return guarded_matrix(work).offer("tiled_transpose").refusal;
}

TEST(TiledTransposeTest, TurnsThroughATile) {
  const auto scene = guarded_matrix("    out[column * rows + row] = in[row * columns + column];\n");
  const auto offer = scene.offer("tiled_transpose");
  ASSERT_EQ(offer.moves.size(), 3U) << offer.refusal;
  EXPECT_EQ(offer.moves[0].parameters, "tile=32;rows=8");
  EXPECT_NEAR(offer.moves[0].prior_gain, 3, 0.01);
  const auto kernel = scene.apply("tiled_transpose", "tile=32;rows=8");
  EXPECT_THAT(kernel.source, HasSubstr("__shared__ float wm_tile_in[32][33];"));
  EXPECT_THAT(kernel.source, HasSubstr("out[column * rows + row] = wm_tile_in[threadIdx.x]"));
  EXPECT_THAT(kernel.source, HasSubstr("int untouched(int a) { return a; }"));
  EXPECT_EQ(kernel.plan.launches[0].block, (std::array<std::string, 3>{"32", "8", "1"}));
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div(columns, 32)");
  EXPECT_EQ(kernel.plan.launches[0].grid[1], "ceil_div(rows, 32)");
}

TEST(TiledTransposeTest, AGridThatIsWrittenOtherwiseIsCoveredAllTheSame) {
  auto scene = guarded_matrix("    out[column * rows + row] = in[row * columns + column];\n");
  auto& launch = scene.task().kernel.plan.launches[0];
  launch.grid[0] = "columns / block_x + 1";
  EXPECT_EQ(scene.apply("tiled_transpose", "tile=32;rows=16").plan.launches[0].grid[0],
            "ceil_div((columns / (16) + 1) * (16), 32)");
}

TEST(TiledTransposeTest, NamesWhatStandsInTheWay) {
  EXPECT_THAT(refusal_of("    out[row * columns + column] = in[row * columns + column];\n"),
              HasSubstr("contiguous along the same axis in 't'"));
  EXPECT_THAT(refusal_of("    out[2 * (row * columns + column)] = in[row * columns + column];\n"),
              HasSubstr("contiguous along no axis"));
  EXPECT_THAT(refusal_of("    out[column * rows + row] += in[row * columns + column];\n"),
              HasSubstr("'out' is read and written"));
  EXPECT_THAT(
      refusal_of("    if (row > 2) out[column * rows + row] = in[row * columns + column];\n"),
      HasSubstr("does not step evenly"));
  EXPECT_THAT(refusal_of("    __syncthreads();\n    out[column * rows + row] = in[row];\n"),
              HasSubstr("'__syncthreads', which is not known"));
  EXPECT_THAT(matrix_kernel(std::string(kIndices) +
                            "  out[column * rows + row] = in[row * columns + column];\n")
                  .offer("tiled_transpose")
                  .refusal,
              HasSubstr("no guarded pair"));
  EXPECT_THAT(
      matrix_kernel(std::string(kIndices) +
                    "  if (row < rows) out[column * rows + row] = in[row * columns + column];\n")
          .offer("tiled_transpose")
          .refusal,
      HasSubstr("does not bound both indices"));
}

TEST(TiledTransposeTest, AliasedBuffersAreLeftAlone) {
  auto scene = guarded_matrix("    out[column * rows + row] = in[row * columns + column];\n");
  scene.task().kernel.plan.launches[0].arguments[0] = "out";
  EXPECT_THAT(scene.offer("tiled_transpose").refusal, HasSubstr("two pointers to one buffer"));
}

TEST(TiledTransposeTest, IsNotDoneTwice) {
  auto scene = guarded_matrix("    out[column * rows + row] = in[row * columns + column];\n");
  scene.task().kernel = scene.apply("tiled_transpose", "tile=32;rows=8");
  EXPECT_TRUE(scene.offer("tiled_transpose").moves.empty());
}

}  // namespace
}  // namespace warpmind::agents::builtin
