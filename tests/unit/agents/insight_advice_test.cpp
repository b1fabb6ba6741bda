#include "agents/insight_advice.h"

#include "agents/proposer.h"
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
