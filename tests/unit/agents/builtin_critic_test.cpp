#include "agents/gradient/builtin_critic.h"

#include "agents/gradient/claim_check.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;
using testing::Not;

Profile profile(double dram) {
  Profile made;
  made.kernels = {{"k", 1, {{"dram_pct", dram, "percent"}, {"registers", 32, "registers"}}}};
  return made;
}

class BuiltinCriticTest : public testing::Test {
 protected:
  BuiltinCriticTest() {
    edited_.verdict.profile = profile(20);
    step_.index = 1;
    step_.candidate.technique = "vector_width";
    step_.candidate.parameters = "vec=4";
    step_.candidate.predicted_gain = 1.3;
    step_.before.primary = BottleneckClass::memory_latency;
    step_.before.deciders = {{"dram_pct", 20, 75, "percent"}};
  }
  void measured(double ratio, Outcome outcome, double dram) {
    step_.verdict.outcome = outcome;
    step_.verdict.comparison = Comparison{ratio, ratio * 0.99, ratio * 1.01, 0.99, 7, 70};
    step_.verdict.profile = profile(dram);
  }
  Gradient gradient() { return BuiltinCritic().of_step({task_, device_, edited_, step_, after_}); }

  Task task_;
  DeviceSpec device_;
  Step edited_;
  Step step_;
  std::optional<Bottleneck> after_;
};

TEST_F(BuiltinCriticTest, HoldsTheMeasurementAgainstThePrediction) {
  measured(1.6, Outcome::improved, 60);

  const auto said = gradient();

  EXPECT_NEAR(*said.measured_log_gain, std::log(1.6), 1e-12);
  EXPECT_NEAR(said.predicted_log_gain, std::log(1.3), 1e-12);
  ASSERT_EQ(said.changes.size(), 1U);
  EXPECT_EQ(said.changes[0], (MetricChange{"dram_pct", 20, 60, "percent"}));
  EXPECT_THAT(said.text, HasSubstr("measured 1.60x (99 % interval 1.58x to 1.62x): better than"));
  EXPECT_THAT(said.text, HasSubstr("dram_pct 20 to 60 percent"));
  EXPECT_THAT(said.text, HasSubstr("memory_latency still limits it"));
}

// A helper that became the longest launch says nothing about the kernel that was edited.
TEST_F(BuiltinCriticTest, HoldsTheEditedKernelAgainstItselfAndNotAgainstAHelper) {
  step_.before.kernel = "k";
  measured(0.9, Outcome::regressed, 20);
  step_.verdict.profile->kernels[0].time_share = 0.4;
  step_.verdict.profile->kernels.insert(
      step_.verdict.profile->kernels.begin(),
      {"pack", 0.6, {{"dram_pct", 90, "percent"}, {"registers", 8, "registers"}}});

  const auto said = gradient();

  EXPECT_TRUE(said.changes.empty());
  EXPECT_THAT(said.text, HasSubstr("did not do what it was meant to"));
}

TEST_F(BuiltinCriticTest, PointsToTheNextBottleneck) {
  measured(1.6, Outcome::improved, 80);
  after_ = Bottleneck{};
  after_->primary = BottleneckClass::memory_bandwidth;

  const auto said = gradient();

  EXPECT_EQ(said.after, BottleneckClass::memory_bandwidth);
  EXPECT_THAT(said.text, HasSubstr("now memory_bandwidth limits it: turn to that"));
}

TEST_F(BuiltinCriticTest, TellsAnEditWithoutEffectFromAWrongDiagnosis) {
  measured(0.99, Outcome::same, 20);
  EXPECT_THAT(gradient().text, HasSubstr("did not do what it was meant to"));

  measured(0.8, Outcome::regressed, 60);
  const auto said = gradient();
  EXPECT_THAT(said.text, HasSubstr("the opposite of what was expected"));
  EXPECT_THAT(said.text, HasSubstr("something else limits the kernel"));
}

TEST_F(BuiltinCriticTest, AFailureSaysWhatFailedAndNoGain) {
  step_.verdict.outcome = Outcome::build_failed;
  step_.verdict.build = BuildReport{};
  step_.verdict.build->diagnostics = "k.cu(3): error: identifier \"x\" is undefined\nmore\n";

  const auto said = gradient();

  EXPECT_FALSE(said.measured_log_gain.has_value());
  EXPECT_THAT(said.text, HasSubstr("did not build: k.cu(3): error: identifier \"x\""));
  EXPECT_THAT(said.text, Not(HasSubstr("more")));
}

Step tried(std::int64_t index, BottleneckClass at, Outcome outcome, double ratio) {
  Step step;
  step.index = index;
  step.candidate.proposer = "builtin";
  step.candidate.technique = "unroll";
  step.candidate.parameters = "factor=" + std::to_string(index);
  step.before.primary = at;
  step.verdict.outcome = outcome;
  step.verdict.comparison = Comparison{ratio, ratio, ratio, 0.99, 7, 70};
  return step;
}

TEST_F(BuiltinCriticTest, ClaimsOfAnEpisodeRestOnItsStepsAndStandTheCheck) {
  Episode episode;
  episode.steps.resize(1);
  episode.steps.push_back(tried(1, BottleneckClass::memory_latency, Outcome::improved, 1.4));
  episode.steps.push_back(tried(2, BottleneckClass::memory_bandwidth, Outcome::same, 1.0));
  episode.steps.push_back(tried(3, BottleneckClass::memory_bandwidth, Outcome::regressed, 0.9));

  auto critique = BuiltinCritic().of_episode(task_, episode, {}, {}).value();
  check_claims(episode, critique.claims);
  check_deltas(episode, critique.claims, critique.deltas);

  ASSERT_EQ(critique.claims.size(), 3U);
  EXPECT_EQ(critique.claims[0].kind, ClaimKind::positive);
  EXPECT_THAT(critique.claims[0].text, HasSubstr("gained 1.40x at memory_latency"));
  EXPECT_EQ(critique.claims[1].kind, ClaimKind::negative);
  EXPECT_EQ(critique.claims[1].steps, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(critique.claims[2].kind, ClaimKind::precondition);
  for (const auto& claim : critique.claims) EXPECT_EQ(claim.refused, "") << claim.text;
  ASSERT_EQ(critique.deltas.size(), 1U);
  EXPECT_EQ(critique.deltas[0].refused, "");
}

}  // namespace
}  // namespace warpmind::agents
