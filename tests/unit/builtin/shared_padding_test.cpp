#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf tile_kernel(const std::string& declaration, const std::string& read) {
  return {
      "#define SIDE 32\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n  " +
          declaration + "\n" +
          "  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];\n"
          "  __syncthreads();\n"
          "  y[threadIdx.y * 32 + threadIdx.x] = " +
          read + ";\n}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"1024"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"1024"}, "", {}, 0, 0}},
      {{"k", {"1", "1", "1"}, {"32", "32", "1"}, "0", {"x", "y", "i32:n"}}},
      {{{"n", 32}}}};
}

TEST(SharedPaddingTest, RowsGetLonger) {
  const auto scene =
      tile_kernel("__shared__ float tile[SIDE][SIDE];", "tile[threadIdx.x][threadIdx.y]");
  ASSERT_EQ(scene.offer("shared_padding").moves.size(), 2U)
      << scene.offer("shared_padding").refusal;
  EXPECT_THAT(scene.apply("shared_padding", "pad_bytes=4").source,
              HasSubstr("__shared__ float tile[SIDE][SIDE + 1];"));
  EXPECT_THAT(scene.apply("shared_padding", "pad_bytes=16").source, HasSubstr("[SIDE][SIDE + 4];"));
}

TEST(SharedPaddingTest, NamesWhatStandsInTheWay) {
  const auto refusal = [](const std::string& declaration, const std::string& read) {
    return tile_kernel(declaration, read).offer("shared_padding").refusal;
  };
  EXPECT_EQ(refusal("__shared__ float tile[32][33];", "tile[threadIdx.x][threadIdx.y]"),
            "rows of 'tile' start in different banks already");
  EXPECT_EQ(refusal("__shared__ float tile[32][32];", "tile[threadIdx.y][threadIdx.x]"),
            "no warp goes down a column of 'tile'");
  EXPECT_EQ(refusal("__shared__ float tile[32][32];", "(&tile[0][0])[threadIdx.x * 32]"),
            "'tile' is used other than as [row][column]");
  EXPECT_EQ(refusal("float tile[4][4];", "tile[0][1]"),
            "no kernel has a shared array of two dimensions");
}

}  // namespace
}  // namespace warpmind::agents::builtin
