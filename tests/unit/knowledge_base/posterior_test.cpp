#include "knowledge_base/posterior.h"

#include <array>
#include <cmath>

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
