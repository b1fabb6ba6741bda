#include "agents/search/move_scoring.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

const Move kMove{"a", "1", 1.2};

TEST(MoveScoring, WithoutEvidenceTheGuessStands) {
  const auto move = scored(kMove, {}, "");

  EXPECT_NEAR(move.log_gain, std::log(1.2), 1e-12);
  EXPECT_NEAR(move.deviation, 0.3, 1e-12);
  EXPECT_EQ(move.feasibility, 1);
}

TEST(MoveScoring, EvidenceOutweighsTheGuess) {
  Advice advice;
  advice.techniques = {{"a", 2.0, 1.5, 2.5, 0.9, 6, "device", ""}};

  const auto move = scored(kMove, advice, "");

  EXPECT_NEAR(move.log_gain, (2 * std::log(1.2) + 6 * std::log(2.0)) / 8, 1e-12);
  EXPECT_NEAR(move.deviation, 0.3 * std::sqrt(2.0 / 8), 1e-12);
  EXPECT_EQ(move.feasibility, 0.9);
}

TEST(MoveScoring, OtherTechniquesSayNothing) {
  Advice advice;
  advice.techniques = {{"b", 2.0, 1.5, 2.5, 0.1, 6, "device", ""}};

  EXPECT_EQ(scored(kMove, advice, "").log_gain, scored(kMove, {}, "").log_gain);
}

TEST(MoveScoring, MuchEvidenceNeverMakesItCertain) {
  Advice advice;
  advice.techniques = {{"a", 2.0, 1.9, 2.1, 1, 1'000'000, "device", ""}};

  EXPECT_EQ(scored(kMove, advice, "").deviation, 0.05);
}

TEST(MoveScoring, ThePredictionIsAnEightyPercentInterval) {
  const auto prediction = prediction_of({kMove, std::log(2.0), 0.1, 1});

  EXPECT_NEAR(prediction.gain, 2, 1e-12);
  EXPECT_NEAR(prediction.low, 2 * std::exp(-0.12816), 1e-9);
  EXPECT_NEAR(prediction.high, 2 * std::exp(0.12816), 1e-9);
}

}  // namespace
}  // namespace warpmind::agents
