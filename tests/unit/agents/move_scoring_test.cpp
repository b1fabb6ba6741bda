#include "agents/search/move_scoring.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

const Move kMove{"a", "1", 1.2};
const Move kPlain{"a", "", 1.2};

/// Advice of a technique whose sweep of parameters lost, but for one point.
Advice sweep() {
  Advice advice;
  advice.techniques = {{"a", 0.6, 0.3, 1.2, 0.7, 20, "device", ""}};
  advice.moves = {{{"a", 1.8, 1.5, 2.1, 0.95, 4, "device"}, "1"},
                  {{"a", 0.4, 0.3, 0.5, 0.9, 4, "device"}, "2"},
                  {{"a", 1.0, 0.6, 1.6, 0.1, 0, "device"}, "4"}};
  return advice;
}

/// A measured insight about `parameters` of "a".
RetrievedInsight insight_of(const std::string& parameters, double log_gain) {
  RetrievedInsight insight;
  insight.state = InsightState::confirmed;
  insight.action = {{"a"}, parameters};
  insight.utility.mean = log_gain;
  insight.utility.observations = 2;
  return insight;
}

TEST(MoveScoring, WithoutEvidenceTheGuessStands) {
  const auto move = scored(kMove, {}, "");

  EXPECT_NEAR(move.log_gain, std::log(1.2), 1e-12);
  EXPECT_NEAR(move.deviation, 0.3, 1e-12);
  EXPECT_EQ(move.feasibility, 1);
}

TEST(MoveScoring, EvidenceOfATechniqueWithoutParametersOutweighsTheGuess) {
  Advice advice;
  advice.techniques = {{"a", 2.0, 1.5, 2.5, 0.9, 6, "device", ""}};

  const auto move = scored(kPlain, advice, "");

  EXPECT_NEAR(move.log_gain, (2 * std::log(1.2) + 6 * std::log(2.0)) / 8, 1e-12);
  EXPECT_NEAR(move.deviation, 0.3 * std::sqrt(2.0 / 8), 1e-12);
  EXPECT_EQ(move.feasibility, 0.9);
}

TEST(MoveScoring, ASweepSaysLittleAboutAPointThatNobodyTried) {
  const auto move = scored({"a", "3", 1.2}, sweep(), "");

  const double deviation = std::log(1.2 / 0.3) / (2 * 1.2816);
  const double weight = 2 * 0.3 * 0.3 / (deviation * deviation);
  EXPECT_LT(weight, 1) << "of 20 measurements";
  EXPECT_NEAR(move.log_gain, (2 * std::log(1.2) + weight * std::log(0.6)) / (2 + weight), 1e-12);
  EXPECT_NEAR(move.deviation, 0.3 * std::sqrt(2.0 / (2 + weight)), 1e-12);
  EXPECT_EQ(move.feasibility, 0.7);
}

TEST(MoveScoring, MeasurementsOfTheVeryParametersOutrankTheTechnique) {
  const auto winner = scored(kMove, sweep(), "");
  const auto loser = scored({"a", "2", 1.2}, sweep(), "");
  const auto idle = scored({"b", "", 1.05}, sweep(), "");

  EXPECT_GT(winner.log_gain, idle.log_gain) << "though the technique lost on average";
  EXPECT_LT(loser.log_gain, scored({"a", "3", 1.2}, sweep(), "").log_gain);
  EXPECT_LT(winner.deviation, scored({"a", "3", 1.2}, sweep(), "").deviation);
  EXPECT_EQ(winner.feasibility, 0.95);
}

TEST(MoveScoring, ParametersThatGainHereAndLoseThereSayLittle) {
  Advice steady = sweep();
  Advice mixed = sweep();
  mixed.moves[0].gain_low = 0.6;
  mixed.moves[0].gain_high = 5.4;

  const auto sure = scored(kMove, steady, "");
  const auto unsure = scored(kMove, mixed, "");

  EXPECT_GT(sure.log_gain, (std::log(1.2) + std::log(1.8)) / 2);
  EXPECT_LT(unsure.log_gain, (std::log(1.2) + std::log(1.8)) / 2);
  EXPECT_GT(unsure.deviation, sure.deviation);
}

TEST(MoveScoring, ParametersThatOnlyFailedSayNothingOfGains) {
  const auto failed = scored({"a", "4", 1.2}, sweep(), "");
  const auto untried = scored({"a", "3", 1.2}, sweep(), "");

  EXPECT_NEAR(failed.log_gain, untried.log_gain, 1e-12);
  EXPECT_EQ(failed.feasibility, 0.1);
}

TEST(MoveScoring, AnInsightOfTheVeryParametersOutranksStatisticsButIsNoFurtherMeasurement) {
  Advice advice = sweep();
  const auto without = scored(kMove, advice, "");
  advice.insights = {insight_of("1", std::log(1.05))};
  const double exact = std::log(1.05) * (2 + 3) / (2 + 1);

  const auto with = scored(kMove, advice, "");
  const auto elsewhere = scored({"a", "3", 1.2}, advice, "");

  EXPECT_LT(std::abs(with.log_gain - exact), 0.2 * std::abs(without.log_gain - exact));
  EXPECT_NEAR(with.deviation, without.deviation, 1e-12) << "the same measurements again";
  EXPECT_GT(elsewhere.log_gain, scored({"a", "3", 1.2}, sweep(), "").log_gain);
}

TEST(MoveScoring, OtherTechniquesSayNothing) {
  Advice advice;
  advice.techniques = {{"b", 2.0, 1.5, 2.5, 0.1, 6, "device", ""}};

  EXPECT_EQ(scored(kMove, advice, "").log_gain, scored(kMove, {}, "").log_gain);
}

TEST(MoveScoring, MuchEvidenceNeverMakesItCertain) {
  Advice advice;
  advice.techniques = {{"a", 2.0, 1.9, 2.1, 1, 1'000'000, "device", ""}};
  advice.moves = {{{"a", 2.0, 1.9, 2.1, 1, 1'000'000, "device"}, "1"}};

  EXPECT_EQ(scored(kPlain, advice, "").deviation, 0.05);
  EXPECT_EQ(scored(kMove, advice, "").deviation, 0.05);
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
