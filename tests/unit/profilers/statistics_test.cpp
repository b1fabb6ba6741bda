#include "profilers/statistics.h"

#include "base/sequence.h"
#include "tests/bench/statistics/noise_regimes.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using bench::coverage;
using bench::kNoisy;
using bench::kOrdinary;
using bench::kQuiet;
using bench::kVices;
using bench::NoiseRegime;
using bench::NoisyMachine;
using bench::share_of;

class StatisticsNoise : public ::testing::TestWithParam<NoiseRegime> {};
INSTANTIATE_TEST_SUITE_P(Regimes, StatisticsNoise, ::testing::Values(kQuiet, kOrdinary, kNoisy),
                         [](const auto& regime) { return std::string(regime.param.name); });

/// The bound is one-sided 99 %: 1 % of 500 trials, and three standard deviations of that count.
constexpr double kOnePercent = 0.01 + 3 * 0.00445;

TEST_P(StatisticsNoise, EqualKernelsAreHardlyEverImproved) {
  EXPECT_LE(share_of(GetParam(), 0, Outcome::improved, 500), kOnePercent);
}

TEST_P(StatisticsNoise, EqualKernelsAreHardlyEverRegressed) {
  EXPECT_LE(share_of(GetParam(), 0, Outcome::regressed, 500), kOnePercent);
}

TEST_P(StatisticsNoise, AGainOfTwoPercentIsSeen) {
  EXPECT_GE(share_of(GetParam(), 0.02, Outcome::improved, 300), 0.95);
}

TEST_P(StatisticsNoise, ALossOfTwoPercentIsSeen) {
  EXPECT_GE(share_of(GetParam(), -0.02, Outcome::regressed, 300), 0.95);
}

class StatisticsVice : public ::testing::TestWithParam<NoiseRegime> {};
INSTANTIATE_TEST_SUITE_P(Regimes, StatisticsVice, ::testing::ValuesIn(kVices),
                         [](const auto& regime) { return std::string(regime.param.name); });

// T-AA. The seeds are fixed: what passes once passes always.
TEST_P(StatisticsVice, EqualKernelsAreImprovedInOneOfAHundredAtMost) {
  EXPECT_LE(share_of(GetParam(), 0, Outcome::improved, 2000), 0.01);
}

TEST_P(StatisticsVice, AGainOfTwoPercentIsSeen) {
  EXPECT_GE(share_of(GetParam(), 0.02, Outcome::improved, 200), 0.95);
}

// T-POW.
TEST(Statistics, AGainOfOnePercentIsSeenOnAnOrdinaryMachine) {
  EXPECT_GE(share_of(kOrdinary, 0.01, Outcome::improved, 400), 0.95);
}

TEST(Statistics, NinetyFivePercentIntervalsHoldTheTruthAsOftenAsTheySay) {
  for (const auto* regime : {&kQuiet, &kOrdinary, &kNoisy}) {
    const double covered = coverage(*regime, 0.02, 2000, 0.95);
    EXPECT_GE(covered, 0.93) << *regime;
    EXPECT_LE(covered, 0.97) << *regime;
  }
}

TEST(Statistics, BoundsCoverTheTruth) {
  EXPECT_GE(coverage(kOrdinary, 0.01, 500), 0.96);  // 98 % between two one-sided 99 % bounds
}

TEST(Statistics, EqualKernelsAreTheSameOnAQuietMachine) {
  EXPECT_GE(share_of(kQuiet, 0, Outcome::same, 200), 0.95);
}

// T-CURSE.
TEST(Statistics, TheBestOfAHundredEqualKernelsIsImprovedInOneOfAHundredAtMost) {
  constexpr unsigned kNights = 200;
  unsigned promising = 0;
  unsigned improved = 0;
  for (unsigned night = 0; night < kNights; ++night) {
    NoisyMachine machine(kNoisy, night + 1000);
    std::vector<double> best;
    for (int i = 0; i < 100; ++i) {
      auto ratios = quad_log_ratios(machine.process(0, 10));
      if (best.empty() || median_of(ratios) > median_of(best)) best = std::move(ratios);
    }
    if (!screen(best, 0).promising) continue;
    ++promising;
    improved += machine.confirmed(0).outcome == Outcome::improved ? 1 : 0;
  }
  EXPECT_GT(promising, kNights * 3 / 4) << "the winner's curse is there";
  EXPECT_LE(improved, kNights / 100);
}

TEST(Statistics, AGainBelowTwiceTheNoiseOfTheDeviceIsNone) {
  const std::vector<double> ratios(7, 0.015);

  EXPECT_EQ(decide(ratios, 0, 70).outcome, Outcome::improved);
  EXPECT_NE(decide(ratios, 0.01, 70).outcome, Outcome::improved);
}

TEST(Statistics, AGainBelowHalfAPercentIsNone) {
  EXPECT_EQ(decide(std::vector<double>(7, 0.004), 0, 70).outcome, Outcome::same);
  EXPECT_EQ(decide(std::vector<double>(7, -0.004), 0, 70).outcome, Outcome::same);
}

TEST(Statistics, TwoProcessesDecideNothing) {
  const auto decision = decide({0.5, 0.5}, 0, 20);

  EXPECT_EQ(decision.outcome, Outcome::inconclusive);
  EXPECT_EQ(decision.comparison.processes, 2);
}

TEST(Statistics, ScreeningNeverClaimsAGain) {
  const std::vector<double> ratios(10, 0.3);

  const auto screening = screen(ratios, 0);

  EXPECT_TRUE(screening.promising);
  EXPECT_EQ(screening.decision.outcome, Outcome::inconclusive);
  EXPECT_EQ(screening.decision.comparison.processes, 1);
}

TEST(Statistics, ScreeningGivesUpOnEqualAndSlowerKernels) {
  EXPECT_FALSE(screen(std::vector<double>(10, 0.001), 0).promising);
  EXPECT_EQ(screen(std::vector<double>(10, 0.001), 0).decision.outcome, Outcome::same);
  EXPECT_EQ(screen(std::vector<double>(10, -0.2), 0).decision.outcome, Outcome::regressed);
  EXPECT_FALSE(screen({}, 0).promising);
}

TEST(Statistics, ImpossibleQuadsDoNotCount) {
  const double nan = std::nan("");
  const std::vector<QuadSample> quads = {
      {{1, 1}, {2, 2}}, {{0, 1}, {2, 2}}, {{nan, 1}, {2, 2}}, {{-1, 1}, {2, 2}}, {{}, {2, 2}}};

  EXPECT_EQ(quad_log_ratios(quads).size(), 1U);
  EXPECT_DOUBLE_EQ(process_log_ratio(quads), std::log(2.0));
}

TEST(Statistics, MedianIntervalMatchesTheTables) {
  // Conover, table A: 95 % interval of the median from ranks 2 and 9 of 10, 6 and 15 of 20.
  const auto values = [](int n) {
    std::vector<double> v;
    for (int i = n; i >= 1; --i) v.push_back(i);
    return v;
  };
  EXPECT_DOUBLE_EQ(median_interval(values(10)).low, 2);
  EXPECT_DOUBLE_EQ(median_interval(values(10)).high, 9);
  EXPECT_DOUBLE_EQ(median_interval(values(20)).low, 6);
  EXPECT_DOUBLE_EQ(median_interval(values(20)).high, 15);
  EXPECT_DOUBLE_EQ(median_interval(values(6)).low, 1);
  EXPECT_DOUBLE_EQ(median_interval(values(3)).high, 3);
  EXPECT_DOUBLE_EQ(median_interval(values(20)).median, 10.5);
  EXPECT_DOUBLE_EQ(median_interval({}).median, 0);
}

TEST(Statistics, StudentQuantilesMatchTheTables) {
  EXPECT_NEAR(student_t_quantile(0.99, 6), 3.143, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 6), 1.943, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.99, 4), 3.747, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.99, 9), 2.821, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-3);
  EXPECT_NEAR(student_t_quantile(0.95, 1000), 1.6464, 5e-4);
}

TEST(Statistics, SelfNoiseOfEqualBlocksIsZero) {
  EXPECT_DOUBLE_EQ(self_noise(std::vector<double>(40, 5.0)), 0);
  EXPECT_NEAR(self_noise({1, 1.1, 1.1, 1}), std::log(1.1), 1e-12);
}

}  // namespace
}  // namespace warpmind::profilers
