#include "agents/search/move_scoring.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

const Move kMove{"a", "1", 1.2};
const Move kPlain{"a", "", 1.2};

TechniqueAdvice technique(const std::string& name, const ExpectationAdvice& known,
                          double feasibility = 0.9) {
  TechniqueAdvice advice;
  advice.technique = name;
  advice.feasibility = feasibility;
  advice.expectation = known;
  return advice;
}

MoveAdvice parameters(const std::string& which, const ExpectationAdvice& known,
                      double feasibility = 0.9) {
  MoveAdvice advice;
  advice.technique = "a";
  advice.parameters = which;
  advice.feasibility = feasibility;
  advice.expectation = known;
  return advice;
}

/// Twice what was expected, give or take a third.
const ExpectationAdvice kBetter{2.0, 1.5, 2.6667, 6, 0.6};
const ExpectationAdvice kWorse{0.4, 0.3, 0.5333, 6, -0.7};

TEST(MoveScoring, WithoutEvidenceTheGuessStands) {
  const auto move = scored(kMove, {});

  EXPECT_NEAR(move.log_gain, std::log(1.2), 1e-12);
  EXPECT_NEAR(move.deviation, 0.3, 1e-12);
  EXPECT_EQ(move.feasibility, 1);
  EXPECT_EQ(move.order_shift, 0);
}

TEST(MoveScoring, MeasurementsCorrectTheGuess) {
  Advice advice;
  advice.techniques = {technique("a", kBetter)};

  const auto move = scored(kPlain, advice);

  EXPECT_NEAR(move.log_gain, std::log(1.2 * 2.0), 1e-12);
  EXPECT_NEAR(move.deviation, std::log(2.6667 / 1.5) / (2 * 1.2816), 1e-12);
  EXPECT_EQ(move.feasibility, 0.9);
  EXPECT_NEAR(move.log_gain + move.order_shift, std::log(1.2) + 0.6, 1e-12);
}

TEST(MoveScoring, WhatWasMeasuredIsNotTheGainOfTheNextKernel) {
  Advice advice;
  advice.techniques = {
      technique("a", {1.0, 0.9, 1.1, 5, 0.0})};  // gained 10x where 10x was expected

  EXPECT_NEAR(scored({"a", "", 1.3}, advice).log_gain, std::log(1.3), 1e-12);
  EXPECT_NEAR(scored({"a", "", 20}, advice).log_gain, std::log(20.0), 1e-12);
}

TEST(MoveScoring, ParametersThatNobodyTriedShareHalfTheStandingOfTheirTechnique) {
  Advice advice;
  advice.techniques = {technique("a", kBetter)};
  advice.moves = {parameters("2", kBetter)};

  const auto untried = scored(kMove, advice);

  EXPECT_NEAR(untried.log_gain + untried.order_shift, std::log(1.2) + 0.3, 1e-12);
}

TEST(MoveScoring, MeasurementsOfTheVeryParametersTakeThePlaceOfTheTechnique) {
  Advice advice;
  advice.techniques = {technique("a", kWorse, 0.7)};
  advice.moves = {parameters("1", kBetter, 0.95), parameters("2", kWorse)};

  const auto winner = scored(kMove, advice);
  const auto loser = scored({"a", "2", 1.2}, advice);
  const auto idle = scored({"b", "", 1.05}, advice);

  EXPECT_GT(winner.log_gain, idle.log_gain) << "though the technique lost on average";
  EXPECT_LT(loser.log_gain, idle.log_gain);
  EXPECT_EQ(winner.feasibility, 0.95);
}

TEST(MoveScoring, ParametersThatOnlyFailedSayNothingOfGains) {
  Advice advice;
  advice.moves = {parameters("1", {}, 0.1)};

  const auto failed = scored(kMove, advice);

  EXPECT_NEAR(failed.log_gain, std::log(1.2), 1e-12);
  EXPECT_NEAR(failed.deviation, 0.3, 1e-12);
  EXPECT_EQ(failed.feasibility, 0.1);
}

TEST(MoveScoring, OtherTechniquesSayNothing) {
  Advice advice;
  advice.techniques = {technique("b", kBetter, 0.1)};

  EXPECT_EQ(scored(kMove, advice).log_gain, scored(kMove, {}).log_gain);
  EXPECT_EQ(scored(kMove, advice).feasibility, 1);
}

/// Claims move nothing, measured elsewhere or not: what they rest on here is evidence already.
TEST(MoveScoring, InsightsMoveNothing) {
  Advice advice;
  advice.techniques = {technique("a", kBetter)};
  const auto without = scored(kMove, advice);
  RetrievedInsight claim;
  claim.action = {{"a"}, "1"};
  claim.utility.mean = 3;
  for (const std::int64_t observations : {0, 5}) {
    for (const auto kind : {InsightKind::positive, InsightKind::negative}) {
      claim.state = InsightState::confirmed;
      claim.kind = kind;
      claim.utility.observations = observations;
      advice.insights = {claim};

      EXPECT_EQ(scored(kMove, advice).log_gain, without.log_gain);
      EXPECT_EQ(scored(kMove, advice).order_shift, without.order_shift);
    }
  }
}

TEST(MoveScoring, MuchEvidenceNeverMakesItCertain) {
  Advice advice;
  advice.techniques = {technique("a", {2.0, 1.99, 2.01, 1e6, 0.7})};
  advice.moves = {parameters("1", {2.0, 1.99, 2.01, 1e6, 0.7})};

  EXPECT_EQ(scored(kPlain, advice).deviation, 0.05);
  EXPECT_EQ(scored(kMove, advice).deviation, 0.05);
}

TEST(MoveScoring, ThePredictionIsAnEightyPercentInterval) {
  const auto prediction = prediction_of({kMove, 0, 0.1, 1});

  EXPECT_NEAR(prediction.gain, 1, 1e-12);
  EXPECT_NEAR(prediction.low, std::exp(-0.12816), 1e-9);
  EXPECT_NEAR(prediction.high, std::exp(0.12816), 1e-9);
}

TEST(MoveScoring, LargeExpectationsHaveWiderIntervals) {
  const auto wide = prediction_of({kMove, std::log(20.0), 0.3, 1});
  const auto loss = prediction_of({kMove, std::log(0.05), 0.3, 1});

  EXPECT_NEAR(wide.gain, 20, 1e-12);
  // A tensor-core rewrite was expected to bring 26x and brought 8.7x.
  EXPECT_LT(wide.low, 20 * 8.74 / 26.13);
  EXPECT_NEAR(wide.high / wide.gain, wide.gain / wide.low, 1e-9);
  EXPECT_NEAR(loss.high / loss.gain, wide.high / wide.gain, 1e-9);
}

}  // namespace
}  // namespace warpmind::agents
