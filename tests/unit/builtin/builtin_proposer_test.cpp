#include "agents/builtin/builtin_proposer.h"

#include "scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

SceneOf copies() {
  return {
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i];\n"
      "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}},
      {{"k", {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:n"}}},
      {{{"n", 4096}}, {{"n", 3}}}};
}

std::vector<std::string> texts(const std::vector<Move>& moves) {
  std::vector<std::string> all;
  for (const auto& move : moves) {
    all.push_back(move.technique + " " + move.parameters + " " + std::to_string(move.prior_gain));
  }
  return all;
}

TEST(BuiltinProposerTest, TheSameQuestionHasTheSameAnswer) {
  const BuiltinProposer proposer;
  auto given = copies();
  const auto first = texts(proposer.moves(given.scene().context()));
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(texts(proposer.moves(given.scene().context())), first);
}

TEST(BuiltinProposerTest, AnotherKernelOrAnotherSituationIsAnotherQuestion) {
  const BuiltinProposer proposer;
  auto given = copies();
  const auto first = texts(proposer.moves(given.scene().context()));

  given.bottleneck().primary = BottleneckClass::low_parallelism;
  const auto starved = texts(proposer.moves(given.scene().context()));
  EXPECT_NE(starved, first);

  given.task().kernel = given.apply("launch_bounds", "blocks=0");
  const auto bounded = texts(proposer.moves(given.scene().context()));
  EXPECT_NE(bounded, starved);
  EXPECT_THAT(bounded, testing::Not(testing::Contains(testing::HasSubstr("launch_bounds"))));
}

TEST(BuiltinProposerTest, ARewriteOfStatementsPromisesNoMoreThanTheLimitLeaves) {
  const BuiltinProposer proposer;
  auto given = copies();
  const auto most = [&] {
    double gain = 0;
    for (const auto& move : proposer.moves(given.scene().context())) {
      gain = std::max(gain, move.prior_gain);
    }
    return gain;
  };
  const double believed = most();
  EXPECT_GT(believed, 1.1);
  given.bottleneck().headroom = 1.2;
  EXPECT_LE(most(), 1.05);
  given.bottleneck().headroom = 100;
  EXPECT_EQ(most(), believed);
}

TEST(BuiltinProposerTest, WritesWhatItNames) {
  BuiltinProposer proposer;
  const auto given = copies();
  const Scene scene = given.scene();
  for (const auto& move : proposer.moves(scene.context())) {
    const auto writing = proposer.write(move, scene.context(), {});
    ASSERT_TRUE(writing.has_value()) << writing.error().message;
    EXPECT_TRUE(writing->candidate.has_value()) << move.technique << " " << move.parameters;
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
