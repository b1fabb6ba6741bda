#include "knowledge_base/posterior.h"

#include "knowledge_base/toolchain_distance.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using Chain = std::array<PosteriorCounts, kPosteriorLevels>;

PosteriorCounts counts_of(std::initializer_list<double> gains) {
  PosteriorCounts counts;
  for (const double gain : gains) {
    counts.confirmed.add(std::log(gain), 1);
    ++counts.feasible;
  }
  return counts;
}

/// Everything seen on one device only: every level holds the same.
Chain everywhere(const PosteriorCounts& counts) { return {counts, counts, counts, counts, counts}; }

TEST(Moments, AddAndPlusAgreeWithTheDirectFormula) {
  Moments all;
  Moments left;
  Moments right;
  const std::array<double, 4> values{0.1, 0.4, -0.2, 0.7};
  for (const double value : values) all.add(value, 1);
  left.add(values[0], 1);
  left.add(values[1], 1);
  right.add(values[2], 1);
  right.add(values[3], 1);

  const Moments joined = left.plus(right);

  EXPECT_NEAR(all.mean, 0.25, 1e-12);
  EXPECT_NEAR(all.squares, 0.45, 1e-12);
  EXPECT_NEAR(joined.mean, all.mean, 1e-12);
  EXPECT_NEAR(joined.squares, all.squares, 1e-12);
  EXPECT_NEAR(joined.weight, 4, 1e-12);
}

TEST(Moments, MinusUndoesPlus) {
  Moments a;
  a.add(0.3, 1);
  a.add(0.5, 0.5);
  Moments b;
  b.add(-0.1, 1);
  b.add(0.2, 1);

  const Moments back = a.plus(b).minus(b);

  EXPECT_NEAR(back.weight, a.weight, 1e-12);
  EXPECT_NEAR(back.mean, a.mean, 1e-12);
  EXPECT_NEAR(back.squares, a.squares, 1e-12);
  EXPECT_EQ(a.minus(a), Moments{});
}

TEST(Estimate, WithoutEvidenceIsThePrior) {
  const auto prior = estimate(Chain{});

  EXPECT_NEAR(prior.gain, 1.05, 1e-12);
  EXPECT_NEAR(prior.low, 1.05 * std::exp(-0.4208), 1e-3);
  EXPECT_NEAR(prior.high, 1.05 * std::exp(0.4208), 1e-3);
  EXPECT_NEAR(prior.feasibility, 0.8, 1e-12);
}

TEST(Estimate, PriorWeighsThreeObservationsHoweverManyLevelsSawThem) {
  const auto twice = estimate(everywhere(counts_of({1.5, 1.5})));

  EXPECT_NEAR(std::log(twice.gain), (3 * std::log(1.05) + 2 * std::log(1.5)) / 5, 1e-12);
  EXPECT_NEAR(twice.feasibility, (3 * 0.8 + 2) / 5, 1e-12);
}

TEST(Estimate, MoreAgreeingEvidenceNarrowsTheInterval) {
  const auto width = [](const GainEstimate& e) { return std::log(e.high / e.low); };

  const auto prior = estimate(Chain{});
  const auto two = estimate(everywhere(counts_of({1.3, 1.32})));
  const auto six = estimate(everywhere(counts_of({1.3, 1.32, 1.31, 1.3, 1.29, 1.31})));

  EXPECT_LT(width(two), width(prior));
  EXPECT_LT(width(six), width(two));
}

TEST(Estimate, ANewDeviceStartsFromItsFamilyWithAWiderInterval) {
  const auto seen = counts_of({2, 2, 2, 2});
  Chain known = everywhere(seen);
  Chain unknown = known;
  unknown[4] = {};

  const auto on_known = estimate(known);
  const auto on_unknown = estimate(unknown);

  EXPECT_NEAR(on_unknown.gain, on_known.gain, 1e-9);
  EXPECT_GT(on_unknown.high / on_unknown.low, on_known.high / on_known.low);
}

TEST(Estimate, OwnEvidenceOutweighsThatOfOtherDevices) {
  PosteriorCounts own = counts_of({0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7});
  PosteriorCounts all = own;
  for (int i = 0; i < 20; ++i) all.confirmed.add(std::log(2.0), 1);

  EXPECT_LT(estimate({all, all, all, all, own}).gain, 1);
  EXPECT_GT(estimate({all, all, all, all, {}}).gain, 1);
}

TEST(Estimate, ScreeningsThatDidNotHelpPullDownByHalfAnObservation) {
  PosteriorCounts counts;
  counts.screened.add(0, 0.5);
  counts.screened.add(0, 0.5);

  EXPECT_NEAR(std::log(estimate(everywhere(counts)).gain), 3 * std::log(1.05) / 4, 1e-12);
}

TEST(Estimate, FailuresLowerFeasibilityAndLeaveTheGainAlone) {
  PosteriorCounts counts;
  counts.infeasible = 3;

  const auto failed = estimate(everywhere(counts));

  EXPECT_NEAR(failed.feasibility, 3 * 0.8 / 6, 1e-12);
  EXPECT_NEAR(failed.gain, 1.05, 1e-12);
}

double log_width(const GainEstimate& e) { return std::log(e.high / e.low); }

/// Counts of `n` noisy gains around `gain`, some of them screenings.
PosteriorCounts drawn(std::mt19937& draw, double gain, int n) {
  std::normal_distribution<double> noise(std::log(gain), 0.3);
  PosteriorCounts counts;
  for (int i = 0; i < n; ++i) {
    if (draw() % 4 == 0) {
      counts.screened.add(std::min(0.0, noise(draw)), 0.5);
    } else {
      counts.confirmed.add(noise(draw), 1);
    }
    ++counts.feasible;
  }
  return counts;
}

TEST(Estimate, ANewDeviceIsAlwaysLessCertainThanItsFamily) {
  std::mt19937 draw(1);
  for (int round = 0; round < 500; ++round) {
    const auto family = drawn(draw, 0.5 + 0.01 * round, 1 + static_cast<int>(draw() % 20));
    const auto elsewhere = drawn(draw, 1.2, static_cast<int>(draw() % 20));
    const auto technique = elsewhere.plus(family);
    const std::array<PosteriorCounts, 4> of_family{technique, technique, technique, family};

    const auto known = estimate(std::span<const PosteriorCounts>(of_family));
    const auto fresh = estimate({technique, technique, technique, family, {}});

    ASSERT_GT(log_width(fresh), log_width(known)) << "round " << round;
    ASSERT_NEAR(fresh.gain, known.gain, 1e-9);
    ASSERT_NEAR(fresh.feasibility, known.feasibility, 1e-9);
  }
}

TEST(Estimate, SeveralLevelsThatSawNothingWidenNoMoreThanOne) {
  const auto seen = counts_of({1.5, 1.4, 1.6});
  const std::array<PosteriorCounts, 3> one{seen, seen, {}};
  const std::array<PosteriorCounts, 5> three{seen, seen, {}, {}, {}};

  const auto once = estimate(std::span<const PosteriorCounts>(one));
  const auto thrice = estimate(std::span<const PosteriorCounts>(three));

  EXPECT_NEAR(once.low, thrice.low, 1e-12);
  EXPECT_NEAR(once.high, thrice.high, 1e-12);
}

TEST(Estimate, ATransitionIsTheNarrowestLevel) {
  const auto after_a = counts_of({1.6, 1.6, 1.6, 1.6, 1.6, 1.6});
  auto all = after_a;
  for (int i = 0; i < 6; ++i) all.confirmed.add(std::log(0.7), 1);
  const auto before_a = counts_of({0.7, 0.7, 0.7, 0.7, 0.7, 0.7});
  const auto with = [&all](const PosteriorCounts& edge) {
    return estimate(std::array<PosteriorCounts, 6>{all, all, all, all, all, edge});
  };

  EXPECT_GT(with(after_a).gain, 1.25);
  EXPECT_LT(with(before_a).gain, 0.9);
  EXPECT_GT(with(after_a).gain, estimate(everywhere(all)).gain);
  EXPECT_LT(with(before_a).gain, estimate(everywhere(all)).gain);
}

TEST(Estimate, AnotherToolchainWidensAndNeverMovesTheMean) {
  std::mt19937 draw(2);
  const Toolchain then{"12.4", "550.54"};
  for (int round = 0; round < 200; ++round) {
    auto seen = drawn(draw, 0.6 + 0.01 * round, 1 + static_cast<int>(draw() % 20));
    seen.toolchain = then;
    const auto chain = everywhere(seen);

    const auto same = estimate(std::span<const PosteriorCounts>(chain), then);
    const auto driver = estimate(chain, {"12.4", "580.159"});
    const auto toolkit = estimate(chain, {"13.0", "550.54"});
    const auto both = estimate(chain, {"13.0", "580.159"});

    ASSERT_EQ(same, estimate(chain)) << "an unknown toolchain changes nothing";
    ASSERT_GT(log_width(driver), log_width(same)) << "round " << round;
    ASSERT_GT(log_width(toolkit), log_width(driver));
    ASSERT_GT(log_width(both), log_width(toolkit));
    ASSERT_NEAR(log_width(both) / log_width(same),
                std::sqrt(variance_factor(then, {"13.0", "580.159"})), 1e-9)
        << "by the stated factor, once, however many levels there are";
    ASSERT_EQ(both.gain, same.gain);
    ASSERT_EQ(both.feasibility, same.feasibility);
  }
}

TEST(Estimate, NewEvidenceUnderTheNewToolchainEndsTheWidening) {
  PosteriorCounts counts = counts_of({1.4, 1.4});
  counts.toolchain = {"12.4", ""};
  const auto old = estimate(everywhere(counts), {"13.0", ""});
  counts.confirmed.add(std::log(1.4), 1);
  counts.toolchain = {"13.0", ""};

  EXPECT_LT(log_width(estimate(everywhere(counts), {"13.0", ""})), log_width(old));
}

TEST(PosteriorCounts, PlusKeepsTheToolchainOfTheNewer) {
  PosteriorCounts old = counts_of({1.2});
  old.toolchain = {"12.4", "550.1"};
  PosteriorCounts next = counts_of({1.3});
  next.infeasible = 2;
  next.toolchain = {"13.0", "580.1"};

  EXPECT_EQ(old.plus(next).toolchain, next.toolchain);
  EXPECT_EQ(old.plus(next).observations(), 2);
  EXPECT_EQ(old.plus(next).infeasible, 2);
  EXPECT_EQ(old.plus({}).toolchain, old.toolchain);
}

TEST(ChainOf, GoesFromBroadToNarrowWithinOneProvider) {
  DeviceIdentity device;
  device.name = "NVIDIA H200";
  device.compute_major = 9;

  const auto chain = chain_of({Provider::sim, "unroll", BottleneckClass::memory_latency, device});

  EXPECT_EQ(chain[0], (PosteriorKey{PosteriorLevel::global, Provider::sim, "", "", "", ""}));
  EXPECT_EQ(chain[1].technique, "unroll");
  EXPECT_EQ(chain[1].bottleneck, "");
  EXPECT_EQ(chain[2].bottleneck, "memory_latency");
  EXPECT_EQ(chain[3].family, "sm_90");
  EXPECT_EQ(chain[3].device, "");
  EXPECT_EQ(chain[4].device, "NVIDIA H200");
}

}  // namespace
}  // namespace warpmind::knowledge_base
