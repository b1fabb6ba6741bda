#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument half_buffer(std::string name, ArgumentKind kind) {
  return {std::move(name), kind, Dtype::f16, {"n"}, "", {}, 0, 0};
}

SceneOf scaled(const std::string& body) {
  return {
      "#include <cuda_fp16.h>\n\n"
      "extern \"C\" __global__ void other(const float* p, float* q) { q[0] = p[0]; }\n"
      "extern \"C\" __global__ void k(const __half* x, const __half* t, __half* y, int n) {\n" +
          body + "}\n",
      {half_buffer("x", ArgumentKind::in), half_buffer("t", ArgumentKind::in),
       half_buffer("y", ArgumentKind::out)},
      {{"k", {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "t", "y", "i32:n"}}},
      {{{"n", 16777216}}, {{"n", 3}}, {{"n", 1001}}}};
}

constexpr const char* kIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

SceneOf guarded(const std::string& work) {
  return scaled(std::string(kIndex) + "  if (i < n) {\n" + work + "  }\n");
}

TEST(VectorizedLoadsTest, MovesPacksAndKeepsTheTail) {
  const auto scene = guarded("    y[i] = __hadd(x[i], t[i / 3]);  // gathers\n");
  ASSERT_EQ(scene.offer("vectorized_loads").moves.size(), 3U)
      << scene.offer("vectorized_loads").refusal;
  EXPECT_EQ(scene.offer("vectorized_loads").moves[0].parameters, "width=8");
  EXPECT_NEAR(scene.offer("vectorized_loads").moves[0].prior_gain, 2, 0.01);
  const auto kernel = scene.apply("vectorized_loads", "width=8");
  EXPECT_THAT(kernel.source, HasSubstr("wm_y.at[wm_lane] = __hadd(wm_x.at[wm_lane], t[i / 3]);"));
  EXPECT_THAT(kernel.source, HasSubstr("y[i] = __hadd(x[i], t[i / 3]);"));
  EXPECT_THAT(kernel.source, HasSubstr("wm_x.load(x + wm_first);"));
  EXPECT_THAT(kernel.source, Not(HasSubstr("wm_y.load(")));
  EXPECT_THAT(kernel.source, Not(HasSubstr("wm_t")));
  EXPECT_THAT(kernel.source, HasSubstr("void other(const float* p, float* q) { q[0] = p[0]; }"));
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div(ceil_div(n, block_x), 8)");
}

TEST(VectorizedLoadsTest, AShortLaunchGainsNothing) {
  auto scene = guarded("    y[i] = x[i];\n");
  scene.task().workloads[0].sizes["n"] = 4096;
  EXPECT_DOUBLE_EQ(scene.offer("vectorized_loads").moves.at(0).prior_gain, 1);
}

TEST(VectorizedLoadsTest, IsNotDoneTwice) {
  auto scene = guarded("    y[i] = x[i];\n");
  scene.task().kernel = scene.apply("vectorized_loads", "width=4");
  EXPECT_TRUE(scene.offer("vectorized_loads").moves.empty());
}

TEST(VectorizedLoadsTest, ConditionalStoresStayAlone) {
  const auto kernel =
      guarded("    if (__hgt(x[i], t[i])) y[i] = t[i];\n").apply("vectorized_loads", "width=2");
  EXPECT_THAT(kernel.source, HasSubstr("if (__hgt(wm_x.at[wm_lane], wm_t.at[wm_lane])) y[i] = "));
}

TEST(VectorizedLoadsTest, NamesWhatStandsInTheWay) {
  const auto refusal = [](const std::string& work) {
    return guarded(work).offer("vectorized_loads").refusal;
  };
  EXPECT_THAT(refusal("    atomicAdd(&y[i], x[i]);\n"),
              HasSubstr("'atomicAdd', which is not known"));
  EXPECT_THAT(refusal("    if (i > 3) return;\n    y[i] = x[i];\n"),
              HasSubstr("returns in between"));
  EXPECT_THAT(refusal("    y[i] = x[i];\n    y[n - 1 - i] = t[i];\n"),
              HasSubstr("'y' is written and used at another index"));
  EXPECT_THAT(refusal("    y[2 * i] = x[i];\n"), HasSubstr("nothing is written at the flat index"));
  EXPECT_THAT(refusal("    y[i] = x[threadIdx.x];\n"), HasSubstr("reads threadIdx"));
  EXPECT_THAT(refusal("    const __half* p = x + i;\n    y[i] = *p;\n"),
              HasSubstr("'x' is used other than by an index"));
  EXPECT_THAT(refusal("    n = n - 1;\n    y[i] = x[i];\n"), HasSubstr("writes 'n'"));
  EXPECT_THAT(scaled("  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                     "  if (i < n) y[i] = x[i];\n")
                  .offer("vectorized_loads")
                  .refusal,
              HasSubstr("'i' is not the flat number of the thread"));
  EXPECT_THAT(scaled(std::string(kIndex) + "  y[i] = x[i];\n").offer("vectorized_loads").refusal,
              HasSubstr("no test of a flat index"));
}

TEST(VectorizedLoadsTest, TwoPointersToOneBufferMustNotMeet) {
  auto scene = guarded("    y[i] = x[i];\n    y[i] = __hadd(y[i], t[i]);\n");
  auto& arguments = scene.task().kernel.plan.launches[0].arguments;
  arguments = {"y", "t", "y", "i32:n"};
  EXPECT_FALSE(scene.offer("vectorized_loads").moves.empty());  // read before it is written
  arguments = {"x", "y", "y", "i32:n"};
  EXPECT_THAT(scene.offer("vectorized_loads").refusal,
              HasSubstr("'y' is written and read through two pointers"));
}

TEST(VectorizedLoadsTest, LoopsOverAllThreadsKeepASmallGrid) {
  auto scene = scaled(
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
      "{\n"
      "    y[i] = x[i];\n  }\n");
  scene.task().kernel.plan.launches[0].grid[0] = "4";
  const auto kernel = scene.apply("vectorized_loads", "width=8");
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "4");
  EXPECT_THAT(kernel.source,
              HasSubstr("wm_first += static_cast<long long>(gridDim.x * blockDim.x) * 8"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
