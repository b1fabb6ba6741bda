#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

/// One block a row.
SceneOf row_kernel(const std::string& body) {
  const auto buffer = [](std::string name, ArgumentKind kind, std::vector<std::string> shape) {
    return Argument{std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
  };
  return {
      "__device__ void lost(float* at) { *at = 1; }\n"
      "// A row each.\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int columns) {\n"
      "  __shared__ float sums[256];\n"
      "  const float* line = x + blockIdx.x * columns;\n" +
          body + "}\n",
      {buffer("x", ArgumentKind::in, {"rows", "columns"}),
       buffer("y", ArgumentKind::out, {"rows", "columns"})},
      {{"k", {"rows", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:columns"}}},
      {{{"rows", 16}, {"columns", 1 << 20}}, {{"rows", 3}, {"columns", 5}}}};
}

const std::string kSum =
    "  float sum = 0;\n"
    "  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += line[i];\n"
    "  sums[threadIdx.x] = sum;\n"
    "  __syncthreads();\n";
const std::string kStore =
    "  for (int i = threadIdx.x; i < columns; i += blockDim.x)\n"
    "    y[blockIdx.x * columns + i] = line[i] - sums[0];\n";

TEST(SplitPassesTest, LaunchesEachPass) {
  auto scene = row_kernel(kSum + kStore);
  scene.device().sm_count = 132;
  const auto offer = scene.offer("split_rows");
  ASSERT_FALSE(offer.moves.empty()) << offer.refusal;
  EXPECT_GT(offer.moves.front().prior_gain, 4);
  const auto kernel = scene.apply("split_rows", "kernel=k;parts=8");
  ASSERT_EQ(kernel.plan.launches.size(), 2U);
  EXPECT_EQ(kernel.plan.launches[0].kernel, "k_wm_pass_1");
  EXPECT_EQ(kernel.plan.launches[0].grid[1], "8");
  EXPECT_EQ(kernel.plan.launches[1].kernel, "k");
  EXPECT_EQ(kernel.plan.launches[1].grid[1], "8");
  ASSERT_EQ(kernel.plan.scratch.size(), 1U);
  EXPECT_EQ(kernel.plan.scratch[0].elements, "(1) * (rows) * 2048");
  EXPECT_THAT(kernel.source, HasSubstr("// A row each.\nextern \"C\" __global__ void k("));
  auto again = row_kernel(kSum + kStore);
  again.task().kernel = kernel;
  EXPECT_THAT(again.offer("split_rows").refusal, HasSubstr("split already"));
}

TEST(SplitPassesTest, FewRowsOfFewElementsGainNothing) {
  auto scene = row_kernel(kSum + kStore);
  scene.device().sm_count = 132;
  scene.task().workloads.front().sizes = {{"rows", 4096}, {"columns", 4096}};
  for (const auto& move : scene.offer("split_rows").moves) EXPECT_LT(move.prior_gain, 1.1);
}

TEST(SplitPassesTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const std::string& body) {
    return row_kernel(body).offer("split_rows").refusal;
  };
  EXPECT_THAT(refusal(kStore), HasSubstr("no loop that reduces"));
  EXPECT_THAT(refusal(kSum + "  y[blockIdx.x] = sum;\n" + kStore), HasSubstr("may meet"));
  EXPECT_THAT(refusal("  y[threadIdx.x] = 1;\n" + kSum), HasSubstr("between its passes"));
  EXPECT_THAT(refusal(kSum + "  lost(y);\n"), HasSubstr("it calls lost"));
  EXPECT_THAT(refusal(kSum + "  atomicAdd(y, sum);\n"), HasSubstr("it calls atomicAdd"));
  EXPECT_THAT(refusal("  for (int r = 0; r < 2; ++r) {\n" + kSum + "  }\n"),
              HasSubstr("no loop that reduces"));
  EXPECT_THAT(refusal(kStore + kSum), HasSubstr("a loop stores before another one sums"));
  auto exact = row_kernel(kSum + kStore);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(exact.offer("split_rows").refusal, HasSubstr("exact sum 'sum'"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
