#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf tree_kernel(const std::string& loop, const std::string& after = "  y[blockIdx.x] = s[0];\n",
                    const std::string& threads = "256") {
  const auto buffer = [](std::string name, ArgumentKind kind, std::string extent) {
    return Argument{std::move(name), kind, Dtype::f32, {std::move(extent)}, "", {}, 0, 0};
  };
  return {
      "extern \"C\" __global__ void k(const float* x, float* y) {\n"
      "  __shared__ float s[256];\n"
      "  const int t = threadIdx.x;\n"
      "  s[t] = x[blockIdx.x * blockDim.x + t];\n"
      "  __syncthreads();\n" +
          loop + after + "}\n",
      {buffer("x", ArgumentKind::in, "blocks * 256"),
       buffer("y", ArgumentKind::out, "blocks * 256")},
      {{"k", {"blocks", "1", "1"}, {threads, "1", "1"}, "0", {"x", "y"}}},
      {{{"blocks", 512}}, {{"blocks", 3}}}};
}

const char* const kTree =
    "  for (int d = blockDim.x / 2; d > 0; d >>= 1) {\n"
    "    if (t < d) s[t] += s[t + d];\n"
    "    __syncthreads();\n"
    "  }\n";

TEST(ShuffleReductionTest, ReplacesATreeOfTheBlock) {
  const auto kernel = tree_kernel(kTree).apply("shuffle_reduction", "kernel=k");
  EXPECT_THAT(kernel.source,
              HasSubstr("  if (blockDim.x == 256) {\n"
                        "    const float wm_total_1 = wm_combine_lanes<wm_sum_of, 256>(s[t]);\n"
                        "    if (t == 0) { s[0] = wm_total_1; }\n"
                        "    __syncthreads();\n"
                        "  } else {\n"
                        "    for (int d = blockDim.x / 2; d > 0; d >>= 1) {\n"));
}

TEST(ShuffleReductionTest, SaysWhatStandsInTheWay) {
  EXPECT_THAT(tree_kernel(kTree, "  y[blockIdx.x * 2 + t % 2] = s[t % 2];\n")
                  .offer("shuffle_reduction")
                  .refusal,
              HasSubstr("more than the total of 's' is read"));
  EXPECT_THAT(
      tree_kernel(kTree, "  y[blockIdx.x] = s[0];\n", "96").offer("shuffle_reduction").refusal,
      HasSubstr("does not hold the whole block"));
  EXPECT_THAT(tree_kernel("").offer("shuffle_reduction").refusal, HasSubstr("adds up no halves"));
  auto half = std::string(kTree);
  half.replace(half.find("/ 2"), 3, "/ 4");
  EXPECT_THAT(tree_kernel(half).offer("shuffle_reduction").refusal,
              HasSubstr("does not hold the whole block"));
  auto differs = std::string(kTree);
  differs.replace(differs.find("s[t + d]"), 8, "s[t + 1]");
  EXPECT_THAT(tree_kernel(differs).offer("shuffle_reduction").refusal,
              HasSubstr("adds up no halves"));
  auto done = tree_kernel(kTree);
  done.task().kernel = done.apply("shuffle_reduction", "kernel=k");
  EXPECT_THAT(done.offer("shuffle_reduction").refusal, HasSubstr("adds up no halves"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
