#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Elements of a matrix by their flat number, over many timed shapes.
SceneOf flat_kernel(const std::string& body, int timed = 4, const std::string& head = "") {
  SceneOf scene(
      head +
          "__device__ int untouched(int a, int b) { return a / b; }\n"
          "extern \"C\" __global__ void k(const float* x, float* y, int rows, int columns) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i >= rows * columns) return;\n" +
          body + "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"columns", "rows"}, "", {}, 0, 0}},
      {{"k",
        {"ceil_div(rows * columns, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "y", "i32:rows", "i32:columns"}}},
      {{{"rows", 40}, {"columns", 30}},
       {{"rows", 50}, {"columns", 20}},
       {{"rows", 60}, {"columns", 10}},
       {{"rows", 70}, {"columns", 7}},
       {{"rows", 3}, {"columns", 5}}});
  auto& workloads = scene.task().workloads;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    workloads[i].timed = i < static_cast<std::size_t>(timed);
  }
  return scene;
}

const std::string kTurn =
    "  int row = i / columns, column = i % columns;  // decode\n"
    "  y[column * rows + row] = x[i];\n";

TEST(FastDivmodTest, DividesByNumbersThatThePlanComputes) {
  const auto scene = flat_kernel(kTurn);
  ASSERT_EQ(scene.offer("fast_divmod").moves.size(), 1U) << scene.offer("fast_divmod").refusal;
  const auto kernel = scene.apply("fast_divmod", "width=32");
  EXPECT_THAT(kernel.source,
              HasSubstr("int row = wm_quotient(i, columns, wm_by_k_0), column = wm_remainder(i, "
                        "columns, wm_by_k_0);  // decode"));
  EXPECT_THAT(kernel.source, HasSubstr("int columns, unsigned int wm_divisor_0, unsigned int "
                                       "wm_factor_0, unsigned int wm_power_0) {\n"
                                       "  const wm_reciprocal wm_by_k_0{"));
  EXPECT_THAT(kernel.source, HasSubstr("untouched(int a, int b) { return a / b; }"));
  const auto& arguments = kernel.plan.launches.front().arguments;
  ASSERT_EQ(arguments.size(), 7U);
  EXPECT_EQ(arguments[4], "u32:min(max((columns), 1), 2147483647)");
}

TEST(FastDivmodTest, NestedAndCompoundDivisions) {
  const auto kernel = flat_kernel(
                          "  int rest = i;\n"
                          "  int a = i / columns / rows % (rows * columns);\n"
                          "  rest /= columns;\n"
                          "  rest %= rows;\n"
                          "  y[i] = x[rest] + a;\n")
                          .apply("fast_divmod", "width=32");
  EXPECT_THAT(
      kernel.source,
      HasSubstr("int a = wm_remainder(wm_quotient(wm_quotient(i, columns, wm_by_k_2), rows, "
                "wm_by_k_1), (rows * columns), wm_by_k_0);"));
  EXPECT_THAT(kernel.source, HasSubstr("rest = wm_quotient(rest, columns, wm_by_k_2);"));
  EXPECT_THAT(kernel.source, HasSubstr("rest = wm_remainder(rest, rows, wm_by_k_1);"));
}

TEST(FastDivmodTest, TheRewriteIsStillReadable) {
  auto scene = flat_kernel(kTurn);
  const auto before = scene.offer("thread_coarsening");
  scene.task().kernel = scene.apply("fast_divmod", "width=32");
  EXPECT_THAT(scene.offer("fast_divmod").refusal, HasSubstr("no integer division"));
  EXPECT_EQ(scene.offer("thread_coarsening").moves.size(), before.moves.size())
      << scene.offer("thread_coarsening").refusal;
}

TEST(FastDivmodTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const SceneOf& scene) {
    const auto offer = scene.offer("fast_divmod");
    EXPECT_THAT(offer.moves, IsEmpty());
    return offer.refusal;
  };
  EXPECT_THAT(refusal(flat_kernel(kTurn, 3)), HasSubstr("timed with few shapes"));
  EXPECT_THAT(refusal(flat_kernel("  y[i] = x[i / 4];\n")), HasSubstr("no integer division"));
  EXPECT_THAT(refusal(flat_kernel("  y[i] = x[i] / columns;\n")), HasSubstr("no integer division"));
  EXPECT_THAT(refusal(flat_kernel("  y[i] = x[i / (threadIdx.x + 1)];\n")),
              HasSubstr("no integer division"));
  EXPECT_THAT(refusal(flat_kernel(kTurn, 4,
                                  "extern \"C\" __global__ void k(const float*, float*, int, "
                                  "int);\n")),
              HasSubstr("named elsewhere"));
  auto twice = flat_kernel(kTurn);
  twice.task().kernel.plan.launches.push_back(twice.task().kernel.plan.launches.front());
  EXPECT_THAT(refusal(twice), HasSubstr("launched more than once"));
  EXPECT_FALSE(SceneOf::technique_called("fast_divmod")
                   .apply(flat_kernel(kTurn).scene(), "width=64")
                   .has_value());
}

}  // namespace
}  // namespace warpmind::agents::builtin
