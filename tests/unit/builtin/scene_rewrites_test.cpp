#include "agents/builtin/scene_rewrites.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Sums of rows, one thread a row.
SceneOf row_sums(const std::string& integer = "int") {
  return {
      "#define TWICE 2\n"
      "extern \"C\" __global__ void k(const float* x, float* out, " +
          integer + " rows, " + integer +
          " columns) {\n"
          "  " +
          integer +
          " row = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (row >= rows) return;\n"
          "  float sum = 0.0f;\n"
          "  for (" +
          integer +
          " i = 0; i < columns; ++i) sum += TWICE * x[row * columns + i];\n"
          "  out[row] = sum;  // at the end\n"
          "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"out", ArgumentKind::out, Dtype::f32, {"rows"}, "", {}, 0, 0}},
      {{"k",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "out", integer == "int" ? "i32:rows" : "i64:rows",
         integer == "int" ? "i32:columns" : "i64:columns"}}},
      {{{"rows", 4096}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}}};
}

/// The scene of `scene` after a rewrite; the task stays.
Kernel after(SceneOf& scene, const Kernel& kernel, std::string_view technique,
             std::string_view parameters) {
  SceneOf next(scene.task());
  next.task().kernel = kernel;
  const Scene view = next.scene();
  const auto rewrites = SceneRewrites::read(view.context());
  EXPECT_TRUE(rewrites.has_value());
  auto edited = rewrites->rewrite(SceneOf::technique_called(technique), parameters);
  EXPECT_TRUE(edited.has_value()) << rewrites->offer(SceneOf::technique_called(technique)).refusal;
  return edited.value_or(Kernel{});
}

TEST(SceneRewritesTest, TheOrderOfWrappingDoesNotMatter) {
  auto scene = row_sums();
  const Kernel& given = scene.task().kernel;
  const std::string shared = "kernel=k;lanes=32";
  const Kernel constants = after(scene, given, "shape_specialization", "which=all");
  EXPECT_THAT(constants.source, HasSubstr("wm_k_body(x, out, 4096, 2048);"));
  const Kernel structural = after(scene, given, "warp_per_output", shared);

  EXPECT_EQ(after(scene, constants, "warp_per_output", shared),
            after(scene, structural, "shape_specialization", "which=all"));
}

TEST(SceneRewritesTest, WrappersOfWrappersAreLookedThrough) {
  auto scene = row_sums("long long");
  const Kernel& given = scene.task().kernel;
  const std::string shared = "kernel=k;lanes=32";
  const Kernel narrow = after(scene, given, "index_32bit", "type=int");
  const Kernel both = after(scene, narrow, "shape_specialization", "which=all");
  ASSERT_THAT(both.source, HasSubstr("wm_k_narrow"));
  ASSERT_THAT(both.source, HasSubstr("wm_k_body"));

  const Kernel edited = after(scene, both, "warp_per_output", shared);

  EXPECT_EQ(edited.plan, after(scene, given, "warp_per_output", shared).plan);
  EXPECT_THAT(edited.source, HasSubstr("// at the end"));
  EXPECT_THAT(edited.source, HasSubstr("wm_k_body"));
}

TEST(SceneRewritesTest, EditsOfTheHeadStay) {
  auto scene = row_sums();
  const Kernel& given = scene.task().kernel;
  Kernel marked = after(scene, given, "shape_specialization", "which=all");
  marked = after(scene, marked, "restrict", "");

  const Kernel edited = after(scene, marked, "warp_per_output", "kernel=k;lanes=32");
  EXPECT_THAT(edited.source, HasSubstr("float* __restrict__ out"));
  EXPECT_THAT(edited.source, HasSubstr("wm_k_body"));
}

TEST(SceneRewritesTest, OthersMayHaveTouchedTheChoice) {
  auto scene = row_sums();
  Kernel odd = scene.apply("shape_specialization", "which=all");
  const auto at = odd.source.find("columns == 2048");
  ASSERT_NE(at, std::string::npos);
  odd.source.replace(at, 15, "columns == 1024");
  scene.task().kernel = odd;
  const Scene view = scene.scene();
  const auto rewrites = SceneRewrites::read(view.context());
  ASSERT_TRUE(rewrites.has_value());
  EXPECT_THAT(rewrites->offer(SceneOf::technique_called("warp_per_output")).moves, IsEmpty());
}

TEST(SceneRewritesTest, AWrapperIsNotAppliedTwice) {
  auto scene = row_sums();
  scene.task().kernel = scene.apply("shape_specialization", "which=all");
  const Scene view = scene.scene();
  const auto rewrites = SceneRewrites::read(view.context());
  ASSERT_TRUE(rewrites.has_value());
  const auto again = rewrites->offer(SceneOf::technique_called("shape_specialization"));
  EXPECT_THAT(again.refusal, HasSubstr("already"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
