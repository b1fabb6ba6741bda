#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf doubled(const std::string& work) {
  return {
      "// Doubles.\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n" +
          work + "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}},
      {{"k", {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:n"}}},
      {{{"n", 1 << 26}}, {{"n", 3}}}};
}

TEST(ThreadCoarseningTest, ElementsOfAThreadLieABlockApart) {
  auto scene = doubled("  y[i] = 2 * x[i];\n");
  scene.device().sm_count = 132;
  const auto offer = scene.offer("thread_coarsening");
  ASSERT_EQ(offer.moves.size(), 3U) << offer.refusal;
  EXPECT_GT(offer.moves[0].prior_gain, 1);
  const auto kernel = scene.apply("thread_coarsening", "items=4");
  EXPECT_THAT(kernel.source, HasSubstr("(static_cast<long long>(blockIdx.x) * 4 + wm_item) * "
                                       "blockDim.x + threadIdx.x"));
  EXPECT_THAT(kernel.source, HasSubstr("// Doubles."));
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div(ceil_div(n, block_x), 4)");
}

TEST(ThreadCoarseningTest, NamesWhatStandsInTheWay) {
  EXPECT_THAT(doubled("  y[i] = y[n - 1 - i];\n").offer("thread_coarsening").refusal,
              HasSubstr("'y' is written and used at another index in 'k'"));
  auto scene = doubled("  y[i] = x[i];\n");
  scene.device().sm_count = 4;
  scene.task().kernel = scene.apply("grid_stride", "blocks_per_sm=2");
  EXPECT_THAT(scene.offer("thread_coarsening").refusal,
              HasSubstr("loops over all threads already"));
}

TEST(GridStrideTest, CapsTheGrid) {
  auto scene = doubled("  y[i] = 2 * x[i];\n");
  EXPECT_EQ(scene.offer("grid_stride").refusal, "the number of multiprocessors is not known");
  scene.device().sm_count = 132;
  EXPECT_EQ(scene.offer("grid_stride").moves.size(), 4U);
  const auto kernel = scene.apply("grid_stride", "blocks_per_sm=8");
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "min(ceil_div(n, block_x), 1056)");
  EXPECT_THAT(kernel.source, HasSubstr("wm_at += static_cast<long long>(gridDim.x) * blockDim.x"));
}

TEST(GridStrideTest, IsNotDoneTwice) {
  auto scene = doubled("  y[i] = 2 * x[i];\n");
  scene.device().sm_count = 132;
  scene.task().kernel = scene.apply("grid_stride", "blocks_per_sm=8");
  EXPECT_TRUE(scene.offer("grid_stride").moves.empty());
}

}  // namespace
}  // namespace warpmind::agents::builtin
