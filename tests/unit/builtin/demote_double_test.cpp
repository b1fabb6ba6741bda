#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf with_literals(const std::string& expression) {
  return {
      "__device__ double apart(double x) { return x * 0.5; }\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = " +
          expression + ";  // 0.5\n}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}},
      {{"k", {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:n"}}},
      {{{"n", 4096}}}};
}

TEST(DemoteDoubleTest, LiteralsBecomeFloats) {
  const auto source =
      with_literals("0.5 * x[i] + 1e-3 * 2.5f + 1. - 3 + .25").apply("demote_double", "").source;
  EXPECT_THAT(source, HasSubstr("0.5f * x[i] + 1e-3f * 2.5f + 1.f - 3 + .25f;  // 0.5\n"));
  EXPECT_THAT(source, HasSubstr("return x * 0.5;"));
}

TEST(DemoteDoubleTest, NamesWhatStandsInTheWay) {
  EXPECT_EQ(with_literals("0.5f * x[i]").offer("demote_double").refusal,
            "'apart' computes with doubles on purpose");
  EXPECT_EQ(with_literals("0.5 * static_cast<double>(x[i])").offer("demote_double").refusal,
            "'k' computes with doubles on purpose");
  EXPECT_EQ(with_literals("1e300 < x[i]").offer("demote_double").moves.size(), 0U);
  auto exact = with_literals("0.5 * x[i]");
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_EQ(exact.offer("demote_double").refusal, "the task wants exact results");
}

}  // namespace
}  // namespace warpmind::agents::builtin
