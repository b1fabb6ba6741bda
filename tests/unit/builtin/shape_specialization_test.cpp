#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

SceneOf scaled_rows(const std::string& body, std::vector<Sizes> sizes) {
  return {
      "extern \"C\" __global__ void other(int* q) { q[0] = 1; }\n"
      "// Scales.\n"
      "extern \"C\" __global__ void k(const float* __restrict__ x, float* y, long long rows,\n"
      "                             int columns, float factor) {\n" +
          body + "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0}},
      {{"k",
        {"ceil_div(rows * columns, block_x)", "1", "1"},
        {"128", "1", "1"},
        "0",
        {"x", "y", "i64:rows", "i32:columns", "f32:2"}}},
      std::move(sizes)};
}

constexpr const char* kScale =
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int row = i / columns, column = i % columns;\n"
    "  if (row < rows) y[row * columns + column] = factor * x[i];\n";

TEST(ShapeSpecializationTest, TheSizesOfTheTimedWorkloadsBecomeConstants) {
  const auto scene =
      scaled_rows(kScale, {{{"rows", 4096}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}});
  const auto offer = scene.offer("shape_specialization");
  ASSERT_EQ(offer.moves.size(), 2U) << offer.refusal;
  EXPECT_EQ(offer.moves[1].parameters, "which=strides_only");
  EXPECT_GT(offer.moves[0].prior_gain, 1.2);
  const auto all = scene.apply("shape_specialization", "which=all").source;
  EXPECT_THAT(all, HasSubstr("if (rows == 4096LL && columns == 2048) {\n"
                             "    wm_k_body(x, y, 4096LL, 2048, factor);\n  } else {\n"
                             "    wm_k_body(x, y, rows, columns, factor);"));
  EXPECT_THAT(all, HasSubstr("// Scales.\n__device__ __forceinline__ void wm_k_body(const float* "
                             "__restrict__ x"));
  EXPECT_THAT(all, HasSubstr("void other(int* q) { q[0] = 1; }"));
  EXPECT_THAT(scene.apply("shape_specialization", "which=strides_only").source,
              HasSubstr("if (columns == 2048) {\n    wm_k_body(x, y, rows, 2048, factor);"));
}

TEST(ShapeSpecializationTest, OnlyWithOneWorkloadIsTheGeneralPathDropped) {
  const auto scene = scaled_rows(kScale, {{{"rows", 4096}, {"columns", 2048}}});
  const auto source = scene.apply("shape_specialization", "which=all;assume=1").source;
  EXPECT_THAT(source, Not(HasSubstr("else")));
  EXPECT_THAT(source, HasSubstr("// Made for these sizes alone.\n"
                                "  if (!(rows == 4096LL && columns == 2048)) __trap();"));
  const auto two =
      scaled_rows(kScale, {{{"rows", 4096}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}});
  const auto& technique = SceneOf::technique_called("shape_specialization");
  EXPECT_FALSE(technique.apply(two.scene(), "which=all;assume=1").has_value());
  EXPECT_FALSE(technique.apply(two.scene(), "which=none").has_value());
}

TEST(ShapeSpecializationTest, NamesWhatStandsInTheWay) {
  const std::vector<Sizes> sizes{{{"rows", 40}, {"columns", 20}}};
  EXPECT_THAT(scaled_rows("  rows = rows - 1;\n  columns--;\n  y[rows] = columns;\n", sizes)
                  .offer("shape_specialization")
                  .refusal,
              HasSubstr("'k' has no integer parameter that stays as it is"));
  auto scene = scaled_rows(kScale, sizes);
  scene.task().kernel = scene.apply("shape_specialization", "which=all");
  EXPECT_EQ(scene.offer("shape_specialization").refusal, "'k' has its constants already");
  auto untimed = scaled_rows(kScale, sizes);
  untimed.task().workloads[0].timed = false;
  EXPECT_THAT(untimed.offer("shape_specialization").refusal, HasSubstr("no timed launch of 'k'"));
}

TEST(ShapeSpecializationTest, APlainLoopGainsLittle) {
  const auto scene = scaled_rows(
      "  float sum = 0;\n  for (int i = 0; i < columns; ++i) sum += x[i];\n  y[0] = sum / "
      "columns;\n",
      {{{"rows", 40}, {"columns", 2000}}});
  EXPECT_LT(scene.offer("shape_specialization").moves.at(0).prior_gain, 1.05);
}

}  // namespace
}  // namespace warpmind::agents::builtin
