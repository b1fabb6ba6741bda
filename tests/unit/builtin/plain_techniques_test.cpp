#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument buffer(std::string name, ArgumentKind kind) {
  return {std::move(name), kind, Dtype::f32, {"n"}, "", {}, 0, 0};
}

SceneOf line_kernel(const std::string& body, std::array<std::string, 3> block = {"256", "1", "1"},
                    const std::string& attributes = "") {
  return {"extern \"C\" __global__ void " + attributes +
              "k(const float* x, float* y, int n) {\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
              body + "}\n",
          {buffer("x", ArgumentKind::in), buffer("y", ArgumentKind::out)},
          {{"k", {"ceil_div(n, block_x)", "1", "1"}, block, "0", {"x", "y", "i32:n"}}},
          {{{"n", 4096}}, {{"n", 3}}}};
}

SceneOf plain_copy() { return line_kernel("  if (i < n) y[i] = x[i];\n"); }

TEST(BlockSizeTest, NamesWhatStandsInTheWay) {
  auto fixed = plain_copy();
  fixed.task().kernel.plan.launches[0].grid[0] = "16";
  EXPECT_THAT(fixed.offer("block_size").refusal, HasSubstr("grid of 'k' does not follow"));
  EXPECT_THAT(line_kernel("  __shared__ float s[256];\n  s[threadIdx.x] = x[i];\n  y[i] = s[0];\n")
                  .offer("block_size")
                  .refusal,
              HasSubstr("shared array 's' of 'k'"));
  auto literal = plain_copy();
  auto& source = literal.task().kernel.source;
  source.replace(source.find("blockDim.x"), 10, "256");
  EXPECT_EQ(literal.offer("block_size").refusal, "'k' does not read blockDim");
  auto dynamic = plain_copy();
  dynamic.task().kernel.plan.launches[0].shared_bytes = "1024";
  EXPECT_THAT(dynamic.offer("block_size").refusal, HasSubstr("shared memory of 'k'"));
}

TEST(BlockSizeTest, AConstantOfThePlanThatTheCodeReadsIsLeftAlone) {
  auto scene = line_kernel("  if (i < n) y[i] = x[i] + THREADS;\n", {"THREADS", "1", "1"});
  scene.task().kernel.plan.constants = {{"THREADS", 256}};
  EXPECT_EQ(scene.offer("block_size").refusal, "'k' is compiled for the constant THREADS");
}

TEST(BlockSizeTest, AnArrayOfAnotherSizeIsNoObstacle) {
  const auto scene = line_kernel(
      "  __shared__ float s[33 * 3];\n  __shared__ float t[100];\n"
      "  if (i < n) y[i] = x[i];\n");
  EXPECT_THAT(scene.offer("block_size").refusal, HasSubstr("'s'"));  // 33 * 3 is not computed
  EXPECT_FALSE(line_kernel("  __shared__ float t[100];\n  if (i < n) y[i] = x[i];\n")
                   .offer("block_size")
                   .moves.empty());
}

TEST(BlockSizeTest, StaysWithinTheLaunchBounds) {
  const auto scene =
      line_kernel("  if (i < n) y[i] = x[i];\n", {"256", "1", "1"}, "__launch_bounds__(256, 2) ");
  for (const auto& move : scene.offer("block_size").moves) {
    EXPECT_THAT(move.parameters, Not(HasSubstr("512x")));
  }
  EXPECT_EQ(scene.offer("block_size").moves.size(), 3U);
}

TEST(RestrictTest, RefusesWhenTwoPointersAreOneBuffer) {
  auto scene = plain_copy();
  scene.task().kernel.plan.launches[0].arguments = {"y", "y", "i32:n"};
  EXPECT_EQ(scene.offer("restrict").refusal, "two pointers of 'k' are bound to 'y'");
}

TEST(RestrictTest, MarksPointersOnly) {
  const auto kernel = plain_copy().apply("restrict", "");
  EXPECT_THAT(kernel.source,
              HasSubstr("(const float* __restrict__ x, float* __restrict__ y, int n)"));
}

TEST(UnrollTest, LeavesLoopsWithAPragmaAlone) {
  const auto scene = line_kernel("#pragma unroll\n  for (int j = 0; j < 4; ++j) y[i] += x[j];\n");
  EXPECT_THAT(scene.offer("unroll").refusal, HasSubstr("no kernel holds an innermost loop"));
}

TEST(FastIntrinsicsTest, ReplacesCallsInDeviceCodeOnly) {
  auto scene = line_kernel("  if (i < n) y[i] = expf(x[i]);  // expf(\n");
  scene.task().kernel.source += "float host(float x) { return expf(x); }\n";
  const auto source = scene.apply("fast_intrinsics", "").source;
  EXPECT_THAT(source, HasSubstr("y[i] = __expf(x[i]);  // expf("));
  EXPECT_THAT(source, HasSubstr("return expf(x)"));
  auto own = line_kernel("  if (i < n) y[i] = expf(x[i]);\n");
  own.task().kernel.source += "__device__ float expf(int x) { return x; }\n";
  EXPECT_THAT(own.offer("fast_intrinsics").refusal, HasSubstr("no call of a function"));
}

TEST(FlagTechniquesTest, AFlagIsSetOnce) {
  auto scene = plain_copy();
  EXPECT_EQ(scene.offer("register_limit").moves.size(), 3U);
  scene.task().kernel.build_flags = {"--use_fast_math", "--maxrregcount=64"};
  EXPECT_EQ(scene.offer("fast_math").refusal, "it is built so already");
  EXPECT_EQ(scene.offer("register_limit").moves.size(), 2U);
}

TEST(LaunchBoundsTest, AKernelThatHasThemIsRefused) {
  const auto scene =
      line_kernel("  if (i < n) y[i] = x[i];\n", {"256", "1", "1"}, "__launch_bounds__(256) ");
  EXPECT_THAT(scene.offer("launch_bounds").refusal, HasSubstr("already"));
  EXPECT_THAT(plain_copy().apply("launch_bounds", "blocks=4").source,
              HasSubstr("__global__ __launch_bounds__(256, 4) void k("));
}

}  // namespace
}  // namespace warpmind::agents::builtin
