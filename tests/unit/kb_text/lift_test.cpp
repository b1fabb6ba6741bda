#include "knowledge_base/retrieval/lift.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/retrieval/projection.h"
#include "tests/unit/kb_text/base_fixture.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Verdict verdict(Outcome outcome, std::optional<double> ratio) {
  Verdict v;
  v.outcome = outcome;
  if (ratio) v.comparison = Comparison{*ratio, *ratio, *ratio, 0.99, 7, 70};
  return v;
}

TEST(Lift, OutcomesOfSteps) {
  EXPECT_DOUBLE_EQ(*outcome_of(verdict(Outcome::improved, 1.25)), std::log(1.25));
  EXPECT_DOUBLE_EQ(*outcome_of(verdict(Outcome::regressed, 0.8)), std::log(0.8));
  EXPECT_DOUBLE_EQ(*outcome_of(verdict(Outcome::improved, 1000)), kMostOutcome);
  EXPECT_DOUBLE_EQ(*outcome_of(verdict(Outcome::regressed, 0.001)), kLeastOutcome);
  EXPECT_EQ(*outcome_of(verdict(Outcome::wrong, 2)), -0.25);
  EXPECT_EQ(*outcome_of(verdict(Outcome::build_failed, {})), -0.4);
  EXPECT_FALSE(outcome_of(verdict(Outcome::blocked, 2)));
  EXPECT_FALSE(outcome_of(verdict(Outcome::inconclusive, {})));
  EXPECT_FALSE(outcome_of(verdict(Outcome::same, 0)));
}

TEST(Lift, UnknownUntilBothArmsHaveEnoughSteps) {
  LiftArms arms;
  for (int i = 0; i < 40; ++i) arms.shown.add(0.1 * (i % 3), 0.9);
  for (std::int64_t i = 0; i < kLeastLiftSteps - 1; ++i) arms.withheld.add(0.05 * double(i), 0.1);
  EXPECT_FALSE(estimate_lift(arms).known);
  arms.withheld.add(0, 0.1);
  EXPECT_TRUE(estimate_lift(arms).known);
  EXPECT_FALSE(is_harmful(LiftEstimate{}));
}

TEST(Lift, EqualProbabilitiesGiveTheDifferenceOfMeans) {
  LiftArms arms;
  for (const double y : {0.1, 0.2, 0.3, 0.2, 0.2}) arms.shown.add(y, 0.5);
  for (const double y : {0.0, 0.1, 0.2, 0.1, 0.1}) arms.withheld.add(y, 0.5);
  const auto estimate = estimate_lift(arms);
  EXPECT_NEAR(estimate.lift, 0.1, 1e-12);
  // Welch's interval: variances of the means 0.001 each, t(8) = 2.306.
  EXPECT_NEAR(estimate.high - estimate.low, 2 * 2.306 * std::sqrt(0.002), 1e-3);
}

/// Steps of `kinds` sorts that differ in outcome and in the probability of being shown.
LiftEstimate simulate(std::mt19937_64& random, double true_lift, int steps) {
  struct Sort {
    double level;
    double propensity;
  };
  // Good situations show the insight more often: without weights it would look good.
  constexpr Sort kSorts[] = {{0.3, 0.9}, {0.0, 0.6}, {-0.3, 0.75}};
  LiftArms arms;
  std::normal_distribution<double> noise(0, 0.15);
  std::uniform_real_distribution<double> chance(0, 1);
  for (int i = 0; i < steps; ++i) {
    const auto& sort = kSorts[random() % 3];
    const double outcome = sort.level + noise(random);
    if (chance(random) < sort.propensity) {
      arms.shown.add(outcome + true_lift, sort.propensity);
    } else {
      arms.withheld.add(outcome, 1 - sort.propensity);
    }
  }
  return estimate_lift(arms);
}

TEST(Lift, IntervalCoversATrueLiftOfZeroAsOftenAsItSays) {
  constexpr int kRuns = 500;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run));
    const auto estimate = simulate(random, 0, 150);
    ASSERT_TRUE(estimate.known);
    covered += estimate.low <= 0 && estimate.high >= 0 ? 1 : 0;
  }
  // 95 % of 500 is 475 with a deviation of 4.9; four deviations either way. Above, the interval may
  // be longer than needed: the weighted variance does not use what the sorts have in common.
  EXPECT_GE(covered, 455);
  EXPECT_LE(covered, 495);
}

TEST(Lift, UnequalProbabilitiesDoNotBiasIt) {
  double sum = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(1000 + run));
    sum += simulate(random, 0.1, 200).lift;
  }
  // One run deviates by about 0.06; the mean of 400 by 0.003. Without weights it would be 0.13.
  EXPECT_NEAR(sum / kRuns, 0.1, 0.012);
}

TEST(Lift, HarmIsFound) {
  std::mt19937_64 random(4);
  const auto estimate = simulate(random, -0.3, 400);
  EXPECT_TRUE(is_harmful(estimate));
  EXPECT_LT(estimate.low, -0.3);
}

TEST(Lift, ProvidersStayApart) {
  LiftCounts counts;
  for (int i = 0; i < 20; ++i) {
    counts.by_provider[Provider::sim].shown.add(-0.3 + 0.01 * (i % 3), 0.5);
    counts.by_provider[Provider::sim].withheld.add(0.01 * (i % 3), 0.5);
  }
  EXPECT_TRUE(is_harmful(estimate_lift(counts)));
  for (int i = 0; i < 20; ++i) {
    counts.by_provider[Provider::gpu].shown.add(0.3 + 0.01 * (i % 3), 0.5);
    counts.by_provider[Provider::gpu].withheld.add(0.01 * (i % 3), 0.5);
  }
  EXPECT_NEAR(estimate_lift(counts).lift, 0.3, 0.01) << "measured outcomes go before simulated";
}

LiftCounts golden_counts() {
  LiftCounts counts;
  counts.by_provider[Provider::gpu] = {{7, 8.75, 11.5, 1.5, 2.25, 0.75}, {3, 24, 192, -3, -24, 6}};
  counts.by_provider[Provider::fixture].shown.add(0.25, 0.5);
  return counts;
}

// Never change the file: add one for a new version.
TEST(LiftCodec, ReadsAndWritesTheGoldenFile) {
  const auto path = std::string(WARPMIND_TEST_DATA) + "/records/v1/lift.bin";
  const auto bytes = read_file(path, 1 << 20);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto decoded = decode_lift(*bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, golden_counts());
  EXPECT_EQ(encode_lift(golden_counts()).value(), *bytes);
}

TEST(LiftCodec, RefusesWhatItCannotKeepOrRead) {
  LiftCounts endless;
  endless.by_provider[Provider::gpu].shown.add(0.5, 1e-320);
  EXPECT_EQ(encode_lift(endless).error().code, Errc::invalid_argument);
  for (const auto* bytes : {"", "\2{}", "\1", "\1[]", "\1{\"tpu\":{}}", "\1{\"gpu\":{}}",
                            "\1{\"gpu\":{\"shown\":{\"steps\":\"x\"},\"withheld\":{}}}"}) {
    EXPECT_EQ(decode_lift(bytes).error().code, Errc::corrupt_data) << bytes;
  }
}

class LiftProjection : public BaseFixture {
 protected:
  static constexpr auto kInsight = "i-0123456789abcdef";

  /// Five steps with the insight and five without; what it does to them is `lift`.
  static Episode episode(double lift) {
    Episode e;
    e.provider = Provider::gpu;
    for (int i = 0; i < 10; ++i) {
      Step step;
      step.index = i + 1;
      const bool shown = i % 2 == 0;
      step.exposures = {{InsightId(kInsight), 0.5, shown}};
      step.verdict =
          verdict(Outcome::improved, std::exp((shown ? lift : 0.0) + 0.01 * (i / 2 % 3)));
      e.steps.push_back(step);
    }
    return e;
  }

  std::vector<InsightId> project(const Episode& e) {
    std::vector<InsightId> harmful;
    const auto written = write([&](ChangeSet& change) -> Result<void> {
      WARPMIND_TRY(harmful, project_exposures(change, e));
      return {};
    });
    EXPECT_TRUE(written) << written.error().message;
    return harmful;
  }

  LiftEstimate stored() {
    const auto bytes = base().read([](const Database& database, const std::string&) {
      return database.get(Family::posteriors, lift_key(InsightId(kInsight)));
    });
    return bytes && *bytes ? estimate_lift(decode_lift(**bytes).value()) : LiftEstimate{};
  }
};

TEST_F(LiftProjection, CountsBothArms) {
  EXPECT_THAT(project(episode(0.2)), IsEmpty());
  EXPECT_EQ(stored().shown, 5);
  EXPECT_EQ(stored().withheld, 5);
  EXPECT_NEAR(stored().lift, 0.2, 1e-9);
  EXPECT_THAT(project(episode(0.2)), IsEmpty());
  EXPECT_EQ(stored().shown, 10);
}

TEST_F(LiftProjection, NamesInsightsThatHarm) {
  EXPECT_THAT(project(episode(-0.3)), ElementsAre(InsightId(kInsight)));
}

TEST_F(LiftProjection, HeldOutEpisodesAddNothing) {
  auto e = episode(-0.3);
  e.split = Split::heldout;
  EXPECT_THAT(project(e), IsEmpty());
  EXPECT_EQ(stored(), LiftEstimate{});
}

TEST_F(LiftProjection, WhereChanceDidNotDecideNothingIsCounted) {
  auto e = episode(-0.3);
  for (auto& step : e.steps) {
    step.exposures.front().propensity = step.exposures.front().shown ? 1 : std::nan("");
  }
  EXPECT_THAT(project(e), IsEmpty());
  EXPECT_EQ(stored(), LiftEstimate{});
}

}  // namespace
}  // namespace warpmind::knowledge_base
