#include "agents/insight_advice.h"

#include "agents/proposer.h"
#include "agents/search/move_scoring.h"
#include "tests/unit/agents/planted_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

RetrievedInsight insight(InsightState state, std::vector<std::string> techniques, double mean) {
  RetrievedInsight made;
  made.id = InsightId("i-0000000000000001");
  made.state = state;
  made.action.techniques = std::move(techniques);
  made.utility.mean = mean;
  return made;
}

const Move kTile{"tile", "tile=32", 1.1};
const Move kUnroll{"unroll", "unroll=4", 1.2};

TEST(InsightAdvice, AShownInsightPullsTheMoveThatItNames) {
  const auto advice = insight(InsightState::confirmed, {"tile"}, 0.6);
  EXPECT_DOUBLE_EQ(pull_of(kTile, {advice}, "").log_gain, 0.6);
  EXPECT_EQ(pull_of(kUnroll, {advice}, "").weight, 0);
}

TEST(InsightAdvice, AWithheldOneSaysNothing) {
  auto advice = insight(InsightState::confirmed, {"tile"}, 0.6);
  advice.shown = false;
  EXPECT_EQ(pull_of(kTile, {advice}, ""), InsightPull{});
}

TEST(InsightAdvice, ANegativeOnePushesAway) {
  auto advice = insight(InsightState::confirmed, {"tile"}, 0.3);
  advice.kind = InsightKind::negative;
  EXPECT_DOUBLE_EQ(pull_of(kTile, {advice}, "").log_gain, -0.3);
}

TEST(InsightAdvice, ParametersThatItNamesCountMoreThanOthers) {
  auto advice = insight(InsightState::confirmed, {"tile"}, 0.6);
  advice.action.parameters = "tile=32";
  const Move other{"tile", "tile=8", 1.1};
  EXPECT_GT(pull_of(kTile, {advice}, "").weight, pull_of(other, {advice}, "").weight);
}

TEST(InsightAdvice, AClaimWeighsLessThanAConfirmedInsight) {
  const auto claim = insight(InsightState::proposed, {"tile"}, 0.6);
  const auto known = insight(InsightState::confirmed, {"tile"}, 0.6);
  EXPECT_LT(pull_of(kTile, {claim}, "").weight, pull_of(kTile, {known}, "").weight);
}

TEST(InsightAdvice, ACompositeSpeaksOfItsNextTechniqueOnly) {
  auto advice = insight(InsightState::confirmed, {"unroll", "tile"}, 0.6);
  advice.kind = InsightKind::composite;
  EXPECT_EQ(pull_of(kTile, {advice}, "").weight, 0);
  EXPECT_GT(pull_of(kTile, {advice}, "unroll").weight, 0);
  EXPECT_GT(pull_of(kUnroll, {advice}, "").weight, 0);
}

TEST(InsightAdvice, InsightsChangeTheOrderOfMoves) {
  EXPECT_LT(scored(kTile, {}, "").log_gain, scored(kUnroll, {}, "").log_gain);
  Advice advice;
  advice.insights = {insight(InsightState::confirmed, {"tile"}, 0.6)};
  EXPECT_GT(scored(kTile, advice, "").log_gain, scored(kUnroll, advice, "").log_gain);
}

TEST(InsightAdvice, TheSeedIsThatOfTheStepAndNeverZero) {
  const EpisodeId episode("e-0000000007");
  EXPECT_EQ(seed_of(episode, 3), seed_of(episode, 3));
  EXPECT_NE(seed_of(episode, 3), seed_of(episode, 4));
  EXPECT_NE(seed_of(episode, 3), 0U);
}

TEST(InsightAdvice, ExposuresKeepWithheldOnesAndTheirPropensity) {
  auto advice = insight(InsightState::confirmed, {"tile"}, 0.6);
  advice.shown = false;
  advice.propensity = 0.9;
  const auto exposures = exposures_of({advice});
  ASSERT_EQ(exposures.size(), 1U);
  EXPECT_EQ(exposures.front(), (Exposure{advice.id, 0.9, false}));
}

/// What the situation of an episode on `contract` says that the task allows.
std::vector<std::string> allowed_by(const Contract& contract) {
  Task task = planted_task();
  task.contract = contract;
  const ProposalContext context{task, task.kernel, {}, {}, {}};
  return situation_of(context, {}, {}).contracts.value();
}

TEST(InsightAdvice, LowerPrecisionIsAllowedWhereSumsMayHave16Bits) {
  using testing::Contains;
  using testing::Not;
  Contract contract;
  contract.tolerance = ToleranceClass::contraction;
  EXPECT_THAT(allowed_by(contract), Not(Contains("lower_precision")));
  contract.accumulate = Dtype::f64;
  EXPECT_THAT(allowed_by(contract), Not(Contains("lower_precision")));
  for (const Dtype half : {Dtype::f16, Dtype::bf16}) {
    contract.accumulate = half;
    EXPECT_THAT(allowed_by(contract), Contains("lower_precision"));
  }
  contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(allowed_by(contract), Not(Contains("lower_precision")));
}

}  // namespace
}  // namespace warpmind::agents
