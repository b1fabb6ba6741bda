#include "profilers/statistics.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

/// Noise of a GPU, as fractions of the time: slow drift, a level of its own per process, noise per
/// launch with a heavy right tail.
struct Regime {
  std::string_view name;
  double drift;
  double process;
  double launch;
};

std::ostream& operator<<(std::ostream& out, const Regime& regime) { return out << regime.name; }

constexpr Regime kQuiet{"quiet", 0.002, 0.0005, 0.005};
constexpr Regime kOrdinary{"ordinary", 0.01, 0.002, 0.01};
constexpr Regime kNoisy{"noisy", 0.03, 0.005, 0.03};

class Simulator {
 public:
  Simulator(Regime regime, unsigned seed) : regime_(regime), random_(seed) {}

  /// One process pair: ABBA quads of block medians over 20 launches of 1 ms.
  std::vector<QuadSample> process(double gain, int quads) {
    drift_ = regime_.drift * normal_(random_);
    const double level_a = std::exp(regime_.process * normal_(random_));
    const double level_b = std::exp(regime_.process * normal_(random_)) * (1 - gain);
    std::vector<QuadSample> samples;
    for (int i = 0; i < quads; ++i) {
      const double a1 = block(level_a);
      const double b1 = block(level_b);
      const double b2 = block(level_b);
      const double a2 = block(level_a);
      samples.push_back({{b1, b2}, {a1, a2}});
    }
    return samples;
  }

  Decision confirmed(double gain, int processes = 7, int quads = 10) {
    std::vector<double> ratios;
    for (int i = 0; i < processes; ++i) ratios.push_back(process_log_ratio(process(gain, quads)));
    return decide(ratios, 0, processes * quads);
  }

 private:
  double block(double level) {
    constexpr double kSeconds = 0.022;
    constexpr double kMemory = 20.0;  // seconds over which the clock forgets
    const double keep = std::exp(-kSeconds / kMemory);
    drift_ = keep * drift_ + regime_.drift * std::sqrt(1 - keep * keep) * normal_(random_);
    std::vector<double> launches(20);
    for (double& launch : launches) {
      double noise = regime_.launch * normal_(random_);
      if (uniform_(random_) < 0.02) noise += spike_(random_);
      launch = 1e6 * std::exp(drift_) * level * (1 + noise);
    }
    return median(std::move(launches));
  }

  Regime regime_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::exponential_distribution<double> spike_{20.0};
  double drift_ = 0;
};

double share(Regime regime, double gain, Outcome outcome, int trials) {
  int hits = 0;
  for (int i = 0; i < trials; ++i) {
    Simulator simulator(regime, static_cast<unsigned>(i) * 7919U + 13U);
    hits += simulator.confirmed(gain).outcome == outcome ? 1 : 0;
  }
  return static_cast<double>(hits) / trials;
}

class StatisticsNoise : public ::testing::TestWithParam<Regime> {};
INSTANTIATE_TEST_SUITE_P(Regimes, StatisticsNoise, ::testing::Values(kQuiet, kOrdinary, kNoisy),
                         [](const auto& regime) { return std::string(regime.param.name); });

/// The bound is one-sided 99 %: 1 % of 500 trials, and three standard deviations of that count.
constexpr double kOnePercent = 0.01 + 3 * 0.00445;

TEST_P(StatisticsNoise, EqualKernelsAreHardlyEverImproved) {
  EXPECT_LE(share(GetParam(), 0, Outcome::improved, 500), kOnePercent);
}

TEST_P(StatisticsNoise, EqualKernelsAreHardlyEverRegressed) {
  EXPECT_LE(share(GetParam(), 0, Outcome::regressed, 500), kOnePercent);
}

TEST_P(StatisticsNoise, AGainOfTwoPercentIsSeen) {
  EXPECT_GE(share(GetParam(), 0.02, Outcome::improved, 300), 0.95);
}

TEST_P(StatisticsNoise, ALossOfTwoPercentIsSeen) {
  EXPECT_GE(share(GetParam(), -0.02, Outcome::regressed, 300), 0.95);
}

TEST(Statistics, BoundsCoverTheTruth) {
  int covered = 0;
  for (unsigned i = 0; i < 500; ++i) {
    const auto comparison = Simulator(kOrdinary, i).confirmed(0.01).comparison;
    const double truth = 1 / 0.99;
    covered += comparison.low <= truth && truth <= comparison.high ? 1 : 0;
  }
  EXPECT_GE(covered, 480);  // 98 % between two one-sided 99 % bounds
}

TEST(Statistics, EqualKernelsAreTheSameOnAQuietMachine) {
  EXPECT_GE(share(kQuiet, 0, Outcome::same, 200), 0.95);
}

TEST(Statistics, TheBestOfAHundredEqualKernelsSurvivesNoConfirmation) {
  int promoted = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Simulator simulator(kNoisy, seed + 1000);
    double best = 0;
    for (int i = 0; i < 100; ++i)
      best = std::max(best, process_log_ratio(simulator.process(0, 10)));
    EXPECT_GT(best, 0.005);  // the winner's curse is there
    promoted += simulator.confirmed(0).outcome == Outcome::improved ? 1 : 0;
  }
  EXPECT_EQ(promoted, 0);
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
