#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A block a row; `body` between the index and the end.
SceneOf block_rows(const std::string& body, const std::string& threads = "128") {
  const auto buffer = [](std::string name, ArgumentKind kind) {
    return Argument{std::move(name), kind, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0};
  };
  return {
      "__device__ float total(float v) {\n"
      "  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);\n"
      "  return v;\n}\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int columns) {\n"
      "  const int base = blockIdx.x * columns;\n" +
          body + "}\n",
      {buffer("x", ArgumentKind::in), buffer("y", ArgumentKind::out)},
      {{"k", {"rows", "1", "1"}, {threads, "1", "1"}, "0", {"x", "y", "i32:columns"}}},
      {{{"rows", 512}, {"columns", 1024}}, {{"rows", 3}, {"columns", 5}}}};
}

const char* const kTwice =
    "  float sum = 0.0f;\n"
    "  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[base + i];\n"
    "  sum = total(sum);\n"
    "  // second walk\n"
    "  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[base + i] = x[base + i] - sum;\n";

TEST(RowInRegistersTest, KeepsARowOfTheBlock) {
  const auto kernel = block_rows(kTwice).apply("row_in_registers", "kernel=k");
  EXPECT_THAT(kernel.source, HasSubstr("wm_pack<float, 4> wm_row[2];"));
  EXPECT_THAT(kernel.source, HasSubstr("if (columns <= 1024 && (columns) % 4 == 0 && "
                                       "blockDim.x == 128 &&"));
  EXPECT_THAT(kernel.source, HasSubstr("wm_y_pack.at[wm_j] = wm_row[wm_n].at[wm_j] - sum;"));
  EXPECT_THAT(kernel.source, HasSubstr("  } else {\n    for (int i = threadIdx.x; i < columns;"));
  EXPECT_THAT(kernel.source, HasSubstr("    // second walk\n"));
}

TEST(RowInRegistersTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const std::string& body) {
    const auto offer = block_rows(body).offer("row_in_registers");
    EXPECT_TRUE(offer.moves.empty()) << body;
    return offer.refusal;
  };
  EXPECT_THAT(
      refusal("  float s = 0;\n"
              "  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += x[base + i];\n"
              "  y[blockIdx.x] = total(s);\n"),
      HasSubstr("no loops of lanes walk over one row again"));
  EXPECT_THAT(
      refusal("  float s = 0;\n"
              "  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += y[base + i];\n"
              "  s = total(s);\n"
              "  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[base + i] = "
              "y[base + i] - s;\n"
              "  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += y[base + i];\n"
              "  y[blockIdx.x] = total(s);\n"),
      HasSubstr("'y' is stored, too"));
  // The row moves on between the loops.
  EXPECT_FALSE(refusal("  int at = base;\n  float s = 0;\n"
                       "  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += x[at + i];\n"
                       "  s = total(s);\n  at += 4;\n"
                       "  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[at + i] = "
                       "x[at + i] - s;\n")
                   .empty());
  auto longer = block_rows(kTwice);
  longer.task().workloads[0].sizes["columns"] = 1 << 20;
  EXPECT_THAT(longer.offer("row_in_registers").refusal, HasSubstr("does not fit into registers"));
  auto twice = block_rows(kTwice);
  twice.task().kernel = twice.apply("row_in_registers", "kernel=k");
  EXPECT_THAT(twice.offer("row_in_registers").refusal, HasSubstr("moves pieces already"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
