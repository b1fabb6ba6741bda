#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

/// One block a column.
SceneOf column_blocks(const std::string& body) {
  const auto buffer = [](std::string name, ArgumentKind kind, std::vector<std::string> shape) {
    return Argument{std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
  };
  return {
      "// A column each.\n"
      "extern \"C\" __global__ void k(const float* x, float* out, int rows, int columns) {\n"
      "  __shared__ float sums[256];\n"
      "  const int c = blockIdx.y;\n" +
          body + "}\n",
      {buffer("x", ArgumentKind::in, {"rows", "columns"}),
       buffer("out", ArgumentKind::out, {"columns"})},
      {{"k",
        {"1", "columns", "1"},
        {"256", "1", "1"},
        "0",
        {"x", "out", "i32:rows", "i32:columns"}}},
      {{{"rows", 64}, {"columns", 1024}}, {{"rows", 3}, {"columns", 5}}}};
}

const std::string kSum =
    "  float sum = 0;\n"
    "  for (int r = threadIdx.x; r < rows; r += blockDim.x) sum += x[r * columns + c];\n";
const std::string kTree =
    "  sums[threadIdx.x] = sum;\n"
    "  __syncthreads();\n"
    "  for (int s = blockDim.x / 2; s > 0; s /= 2) {\n"
    "    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (threadIdx.x == 0) out[c] = sums[0];\n";

TEST(SideBySideTest, PutsBlocksSideBySide) {
  const auto scene = column_blocks(kSum + kTree);
  const auto offer = scene.offer("coalesced_mapping");
  ASSERT_FALSE(offer.moves.empty()) << offer.refusal;
  EXPECT_GT(offer.moves.front().prior_gain, 5);
  const auto kernel = scene.apply("coalesced_mapping", "kernel=k;columns=32;lanes=8");
  EXPECT_THAT(kernel.source, HasSubstr("__shared__ float sums[(256) * 32u];"));
  EXPECT_THAT(kernel.source, HasSubstr("sums[(threadIdx.y + s) * 32u + threadIdx.x]"));
  const auto& launch = kernel.plan.launches.front();
  EXPECT_EQ(launch.grid[1], "ceil_div(columns, 32)");
  EXPECT_EQ(launch.block, (std::array<std::string, 3>{"32", "8", "1"}));
  EXPECT_EQ(launch.arguments.back(), "i32:columns");
  auto again = column_blocks(kSum + kTree);
  again.task().kernel = kernel;
  EXPECT_THAT(again.offer("coalesced_mapping").refusal, HasSubstr("mapped already"));
}

TEST(SideBySideTest, KeepsTheThreadsWhereTheyMayMatter) {
  const auto starts = column_blocks("  float sum = 1;\n" + kSum.substr(kSum.find("  for")) + kTree);
  for (const auto& move : starts.offer("coalesced_mapping").moves) {
    EXPECT_THAT(move.parameters, HasSubstr("lanes=256"));
  }
  EXPECT_THAT(starts.offer("coalesced_mapping").refusal, HasSubstr("no tile fits"));
  // A loop that does not step by the threads: fewer of them would miss elements.
  const auto scene = column_blocks(
      kSum + "  if (threadIdx.x < rows) sum += x[threadIdx.x * columns + c];\n" + kTree);
  for (const auto& move : scene.offer("coalesced_mapping").moves) {
    EXPECT_THAT(move.parameters, HasSubstr("lanes=256"));
  }
}

TEST(SideBySideTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const std::string& body) {
    return column_blocks(body).offer("coalesced_mapping").refusal;
  };
  EXPECT_THAT(refusal("  float sum = 0;\n  for (int r = threadIdx.x; r < rows; r += blockDim.x) "
                      "sum += x[c * rows + r];\n" +
                      kTree),
              HasSubstr("neighbouring blocks do not read neighbouring elements"));
  EXPECT_THAT(refusal(kSum + "  sum += __shfl_down_sync(~0u, sum, 16);\n" + kTree),
              HasSubstr("it calls __shfl_down_sync"));
  EXPECT_THAT(refusal(kSum + "  if (out[c] > 0) __syncthreads();\n" + kTree),
              HasSubstr("not all blocks come to the same barriers"));
  EXPECT_THAT(refusal(kSum + "  float* s = sums;\n  s[threadIdx.x] = sum;\n" + kTree),
              HasSubstr("'sums' is passed on"));
  EXPECT_THAT(refusal("  if (c > columns - 2) return;\n" + kSum + kTree),
              HasSubstr("return early"));
  EXPECT_THAT(refusal(kSum + "  sum += out[c];\n" + kTree), HasSubstr("read by another block"));
  EXPECT_THAT(refusal("  out[c] = gridDim.y;\n" + kSum + kTree), HasSubstr("it reads gridDim.y"));
  auto exact = column_blocks(kSum + kTree);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(exact.offer("coalesced_mapping").refusal, HasSubstr("exact sums"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
