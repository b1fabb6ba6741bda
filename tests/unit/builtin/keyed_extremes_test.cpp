#include "agents/builtin/loops/keyed_extremes.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf place_kernel(const std::string& choice, const std::string& start = "int at = 0;") {
  const auto buffer = [](std::string name, ArgumentKind kind, std::vector<std::string> shape) {
    return Argument{std::move(name), kind, Dtype::f32, std::move(shape), "", {}, 0, 0};
  };
  return {
      "extern \"C\" __global__ void k(const float* x, float* out, int rows, int columns) {\n"
      "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (r >= rows) return;\n"
      "  float best = x[r * columns];\n  " +
          start +
          "\n  // The first one.\n"
          "  for (int i = 0; i < columns; ++i) {\n"
          "    const float v = x[r * columns + i];\n    " +
          choice +
          "\n  }\n"
          "  out[r] = at;\n"
          "}\n",
      {buffer("x", ArgumentKind::in, {"rows", "columns"}),
       buffer("out", ArgumentKind::out, {"rows"})},
      {{"k",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "out", "i32:rows", "i32:columns"}}},
      {{{"rows", 512}, {"columns", 4096}}, {{"rows", 3}, {"columns", 5}}}};
}

TEST(KeyedExtremesTest, KeepsOneKey) {
  const auto scene = place_kernel("if (v > best) { best = v; at = i; }");
  EXPECT_FALSE(scene.offer("warp_per_output").moves.empty());
  const auto kernel = with_keyed_extremes(scene.scene());
  ASSERT_TRUE(kernel.has_value());
  EXPECT_THAT(kernel->source, HasSubstr("wm_key_1 = max(wm_key_1, wm_greater_key(v, i));"));
  EXPECT_THAT(kernel->source, HasSubstr("  // The first one.\n  long long wm_key_1"));
  EXPECT_THAT(kernel->source, HasSubstr("at = static_cast<int>(wm_key_number(wm_key_1));"));
  auto again = place_kernel("");
  again.task().kernel = *kernel;
  EXPECT_FALSE(with_keyed_extremes(again.scene()).has_value());
}

TEST(KeyedExtremesTest, LeavesOtherRulesAlone) {
  const auto refused = [](const SceneOf& scene) {
    EXPECT_FALSE(with_keyed_extremes(scene.scene()).has_value());
    EXPECT_THAT(scene.offer("warp_per_output").refusal,
                HasSubstr("is carried from one iteration to the next"));
  };
  refused(place_kernel("if (v >= best) { best = v; at = i; }"));  // the last of equal ones
  refused(place_kernel("if (v > best) { best = v; at = i + 1; }"));
  refused(place_kernel("if (v > best) { best = v; at = i; } else { at = 0; }"));
  refused(place_kernel("if (2.0 * v > best) { best = 2.0 * v; at = i; }"));  // in double
  refused(place_kernel("if (v > best + 1) { best = v; at = i; }"));
  refused(place_kernel("if (v > best || (v == best && i > at)) { best = v; at = i; }"));
  refused(place_kernel("if (v > best) { best = v; at = i; }", "int at = 7;"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
