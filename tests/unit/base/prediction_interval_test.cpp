// The intervals that reports print hold on kernels that they were not fitted to.
#include "base/prediction_interval.h"

#include "tests/bench/calibration/interval_fit.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::calibration {
namespace {

const std::filesystem::path kTables = WARPMIND_VALIDATION_TABLES;
constexpr double kLeast = 0.75;
constexpr double kMost = 0.85;

std::vector<PredictedTime> times() {
  const auto read = read_times(kTables / "predicted_times_h200.tsv");
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(std::vector<PredictedTime>());
}

std::vector<ExpectedGain> gains() {
  const auto read = read_gains(kTables / "move_gains_h200.tsv");
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(std::vector<ExpectedGain>());
}

/// Whether the interval holds on left-out families, and is the one that is printed.
void expect_printed(const std::vector<Miss>& misses, double printed) {
  const Coverage coverage = left_out_coverage(misses, kPredictionCoverage);
  EXPECT_GE(coverage.families, 8U);
  EXPECT_GE(coverage.of_families, kLeast);
  EXPECT_LE(coverage.of_families, kMost);
  EXPECT_NEAR(printed, std::exp(fitted_width(misses, kPredictionCoverage)), 0.005);
}

TEST(PredictionInterval, OfATimeHoldsInFourOfFiveKernelsOfALeftOutFamily) {
  expect_printed(with_interval(time_misses(times()), true), time_factor("high").value_or(0));
}

TEST(PredictionInterval, OfAGainHoldsInFourOfFivePairsOfALeftOutFamily) {
  expect_printed(with_interval(gain_misses(times()), true),
                 gain_factor("high", "medium").value_or(0));
}

TEST(PredictionInterval, OfLowConfidenceThereIsNone) {
  for (const char* low : {"low", "", "nonsense"}) {
    EXPECT_FALSE(time_factor(low)) << low;
    EXPECT_FALSE(gain_factor(low, "high")) << low;
    EXPECT_FALSE(gain_factor("high", low)) << low;
  }
  EXPECT_EQ(gain_factor("high", "medium"), gain_factor("medium", "high"));
  EXPECT_EQ(time_factor("high"), time_factor("medium"));
}

TEST(PredictionInterval, WithoutIntervalAClaimedGainIsMostlyOne) {
  int claimed = 0;
  int faster = 0;
  const auto all = times();
  for (const auto& slow : all) {
    for (const auto& fast : all) {
      if (slow.task != fast.task || gain_factor(slow.confidence, fast.confidence)) continue;
      if (slow.predicted_us < fast.predicted_us * kClaimWithoutInterval) continue;
      ++claimed;
      faster += slow.measured_us > fast.measured_us ? 1 : 0;
    }
  }
  ASSERT_GE(claimed, 100);
  EXPECT_GE(faster, 0.95 * claimed);
}

TEST(PredictionInterval, OfAMoveHoldsInFourOfFiveLeftOutMoves) {
  const auto all = gains();
  const Coverage coverage = left_out_coverage(all, kPredictionCoverage);

  EXPECT_GE(coverage.families, 10U);
  EXPECT_GE(coverage.share(), kLeast);
  EXPECT_LE(coverage.share(), kMost);
  const double fitted = fitted_miss_per_gain(all, kPredictionCoverage);
  EXPECT_NEAR(move_reach(2, 0.3), kEightyPercent * 0.3 * std::hypot(1, 2 * fitted), 1e-9);
}

TEST(PredictionInterval, WhatIsHeldAgainstAFamilyWasNotFittedToIt) {
  // One family is far off; the others are exact.
  std::vector<Miss> misses;
  for (const char* family : {"a", "b", "c", "d", "e"}) misses.push_back({family, "high", 0.1});
  misses.push_back({"f", "high", 5});

  const Coverage coverage = left_out_coverage(misses, kPredictionCoverage);

  EXPECT_EQ(coverage.rows, 6U);
  EXPECT_EQ(coverage.inside, 5U);
  EXPECT_EQ(fitted_width(misses, 1), 5);
}

TEST(PredictionInterval, AFamilyOfManyRowsCountsAsOne) {
  std::vector<Miss> misses(1000, Miss{"large", "high", 0.01});
  for (const char* family : {"a", "b", "c"}) misses.push_back({family, "high", 1});

  EXPECT_EQ(fitted_width(misses, 0.8), 1);
}

}  // namespace
}  // namespace warpmind::calibration
