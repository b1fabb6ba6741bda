#include "knowledge_base/graph/calibration.h"

#include "tests/unit/kb_graph/graph_fixture.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

constexpr double kReach80 = 1.2815515655446004;  ///< of a normal distribution, in deviations

TEST(Wilson, AgreesWithPublishedValuesAndNeverLeavesTheUnitInterval) {
  const auto [low, high] = wilson_interval(8, 10);
  EXPECT_NEAR(low, 0.4902, 1e-4);
  EXPECT_NEAR(high, 0.9433, 1e-4);
  EXPECT_EQ(wilson_interval(0, 0), std::pair(0.0, 1.0));
  EXPECT_EQ(wilson_interval(0, 5).first, 0);
  EXPECT_EQ(wilson_interval(5, 5).second, 1);
  EXPECT_GT(wilson_interval(0, 5).second, 0.4) << "five misses prove little";
}

TEST(Spearman, IsTheCorrelationOfRanks) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {10, 100, 1000, 10'000}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_NEAR(spearman({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8, 1e-12);
  EXPECT_NEAR(spearman({1, 1, 2, 3}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12) << "ties share";
  EXPECT_EQ(spearman({1, 1, 1}, {1, 2, 3}), 0) << "a constant predicts nothing";
  EXPECT_EQ(spearman({1}, {1}), 0);
}

TEST(Calibrate, FindsTheCoverageThatWasPlanted) {
  std::mt19937 draw(3);
  std::normal_distribution<double> noise(0, 0.2);
  for (const double stretch : {1.0, 0.25}) {
    std::vector<Forecast> forecasts;
    for (int i = 0; i < 4000; ++i) {
      const double truth = 0.1 * (i % 7);
      const double reach = stretch * kReach80 * 0.2;
      forecasts.push_back({truth, truth - reach, truth + reach, truth + noise(draw)});
    }
    const double planted = std::erf(stretch * kReach80 / std::sqrt(2.0));

    const Calibration found = calibrate(forecasts);

    EXPECT_EQ(found.predictions, 4000);
    EXPECT_NEAR(found.coverage, planted, 0.02);
    EXPECT_LT(found.coverage_low, found.coverage);
    EXPECT_GT(found.coverage_high, found.coverage);
    EXPECT_LT(found.coverage_high - found.coverage_low, 0.05);
    EXPECT_GT(found.spearman, 0.5);
    EXPECT_NEAR(found.bias, 0, 0.02);
  }
}

TEST(Calibrate, SeesABias) {
  const Calibration found = calibrate({{0.1, 0, 0.2, 0.4}, {0.2, 0.1, 0.3, 0.5}});

  EXPECT_NEAR(found.bias, 0.3, 1e-12);
  EXPECT_EQ(found.coverage, 0);
  EXPECT_DOUBLE_EQ(found.spearman, 1);
}

TEST(Calibrate, OfNothingKnowsNothing) {
  const Calibration none = calibrate({});

  EXPECT_EQ(none.predictions, 0);
  EXPECT_EQ(none.coverage_low, 0);
  EXPECT_EQ(none.coverage_high, 1);
}

Step predicted_step(double low, double gain, double high, double measured) {
  Step step;
  step.candidate.predicted_low = low;
  step.candidate.predicted_gain = gain;
  step.candidate.predicted_high = high;
  step.verdict.outcome = Outcome::improved;
  step.verdict.comparison = Comparison{measured, measured, measured, 0.99, 7, 70};
  return step;
}

TEST(ForecastOf, TakesConfirmedComparisonsWithAPrediction) {
  EXPECT_TRUE(forecast_of(predicted_step(0.9, 1.2, 1.5, 1.3), Provider::gpu).has_value());
  EXPECT_FALSE(forecast_of(predicted_step(1, 1, 1, 1.3), Provider::gpu).has_value())
      << "no interval was given";
  EXPECT_FALSE(forecast_of(predicted_step(-1, 1, 2, 1.3), Provider::gpu).has_value());
  Step screened = predicted_step(0.9, 1.2, 1.5, 1.3);
  screened.verdict.comparison->processes = 1;
  EXPECT_FALSE(forecast_of(screened, Provider::gpu).has_value());
  EXPECT_TRUE(forecast_of(screened, Provider::sim).has_value()) << "it says the same each time";
  Step wrong = predicted_step(0.9, 1.2, 1.5, 1.3);
  wrong.verdict.outcome = Outcome::wrong;
  EXPECT_FALSE(forecast_of(wrong, Provider::gpu).has_value());
  Step remembered = predicted_step(0.9, 1.2, 1.5, 1.3);
  remembered.candidate.proposer = "memory";
  EXPECT_FALSE(forecast_of(remembered, Provider::gpu).has_value());
}

TEST(CalibrationQuery, KeepsProvidersApartAndLeavesHeldOutTasksAlone) {
  GraphBase base;
  const Task task = fakes::sample_task("scale");
  const auto predicted = [&](std::int64_t number, const Task& of, Provider provider, double high) {
    Episode episode =
        fakes::EpisodeSketch(number, of).step({.ratio = 1.3}).provider(provider).finish();
    episode.steps[1].candidate.predicted_low = 1.1;
    episode.steps[1].candidate.predicted_gain = 1.15;
    episode.steps[1].candidate.predicted_high = high;
    return episode;
  };
  ASSERT_TRUE(base.learn(predicted(1, task, Provider::gpu, 1.5)).has_value());
  ASSERT_TRUE(base.learn(predicted(2, task, Provider::sim, 1.2)).has_value());
  ASSERT_TRUE(
      base.learn(predicted(3, fakes::sample_task("secret", Split::heldout), Provider::gpu, 1.2))
          .has_value());

  EXPECT_EQ(base.graph().calibration(Provider::gpu).value().coverage, 1);
  EXPECT_EQ(base.graph().calibration(Provider::gpu).value().predictions, 1);
  EXPECT_EQ(base.graph().calibration(Provider::sim).value().coverage, 0);
  EXPECT_EQ(base.graph().calibration(std::nullopt).value().predictions, 2);
  EXPECT_NEAR(base.graph().calibration(Provider::gpu).value().bias, std::log(1.3 / 1.15), 1e-12);
}

}  // namespace
}  // namespace warpmind::knowledge_base
