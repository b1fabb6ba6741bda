#include "agents/gradient/claim_check.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;

Step step_of(std::int64_t index, Outcome outcome, double ratio, std::int64_t processes = 7) {
  Step step;
  step.index = index;
  step.candidate.technique = "unroll";
  step.candidate.parameters = "factor=4";
  step.candidate.proposer = "llm";
  step.before.primary = BottleneckClass::memory_latency;
  step.verdict.outcome = outcome;
  if (ratio > 0) step.verdict.comparison = Comparison{ratio, ratio, ratio, 0.99, processes, 70};
  return step;
}

/// Steps: 1 gained, 2 lost, 3 wrong, 4 inconclusive, 5 looked good in one process only.
Episode sample() {
  Episode episode;
  episode.steps.resize(1);
  episode.steps.push_back(step_of(1, Outcome::improved, 1.3));
  episode.steps.push_back(step_of(2, Outcome::regressed, 0.8));
  episode.steps.push_back(step_of(3, Outcome::wrong, 0));
  episode.steps.push_back(step_of(4, Outcome::inconclusive, 1.1));
  episode.steps.push_back(step_of(5, Outcome::improved, 1.2, 1));
  return episode;
}

CritiqueClaim claim(ClaimKind kind, std::vector<std::int64_t> steps, double log_gain = 0) {
  CritiqueClaim made;
  made.kind = kind;
  made.text = "Unrolling hides the latency.";
  made.technique = "unroll";
  made.bottleneck = BottleneckClass::memory_latency;
  made.steps = std::move(steps);
  made.log_gain = log_gain;
  return made;
}

std::string refusal(CritiqueClaim made) {
  std::vector<CritiqueClaim> claims{std::move(made)};
  check_claims(sample(), claims);
  return claims[0].refused;
}

TEST(ClaimCheck, WhatTheMeasurementsCarryStands) {
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {1}, 0.26)), "");
  EXPECT_EQ(refusal(claim(ClaimKind::negative, {2, 3}, -0.2)), "");
  EXPECT_EQ(refusal(claim(ClaimKind::precondition, {1, 2})), "");
}

TEST(ClaimCheck, ASignThatContradictsTheCitedMeasurementIsRefused) {
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {1, 2}, 0.2)),
            "step 2 measured 0.80x, the claim says that it helps");
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {3}, 0.2)),
            "step 3 ended as wrong, the claim says that it helps");
  EXPECT_EQ(refusal(claim(ClaimKind::negative, {1}, -0.1)),
            "step 1 measured 1.30x, the claim says that it does not help");
}

TEST(ClaimCheck, TheClaimedEffectMustFitItsKind) {
  EXPECT_THAT(refusal(claim(ClaimKind::positive, {1}, -0.5)), HasSubstr("claims 0.61x"));
  EXPECT_THAT(refusal(claim(ClaimKind::negative, {2}, 0.5)), HasSubstr("claims 1.65x"));
  EXPECT_THAT(refusal(claim(ClaimKind::positive, {1}, std::numeric_limits<double>::quiet_NaN())),
              HasSubstr("not a finite number"));
}

TEST(ClaimCheck, CitationsMustBeThereAndMeanTheTechnique) {
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {})), "it cites no step");
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {0})),
            "it cites step 0; this episode has candidates 1 to 5");
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {6})),
            "it cites step 6; this episode has candidates 1 to 5");
  auto other = claim(ClaimKind::positive, {1}, 0.2);
  other.technique = "block_size";
  EXPECT_EQ(refusal(other), "step 1 tried unroll, not block_size");
  other = claim(ClaimKind::positive, {1}, 0.2);
  other.parameters = "factor=8";
  EXPECT_THAT(refusal(other), HasSubstr("with 'factor=4', not with 'factor=8'"));
  other = claim(ClaimKind::positive, {1}, 0.2);
  other.bottleneck = BottleneckClass::low_occupancy;
  EXPECT_EQ(refusal(other), "step 1 was made at memory_latency, not at low_occupancy");
}

TEST(ClaimCheck, StepsThatSayNothingCarryNothing) {
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {4}, 0.1)),
            "the steps that it cites measured nothing");
  EXPECT_EQ(refusal(claim(ClaimKind::positive, {5}, 0.1)),
            "the steps that it cites measured nothing");
}

TEST(ClaimCheck, ASlipOfAModelSaysNothingAboutTheTechnique) {
  EXPECT_EQ(refusal(claim(ClaimKind::negative, {3})), "the steps that it cites measured nothing");
}

TEST(ClaimCheck, DeltasRestOnClaimsThatStandAndInsightsThatWereShown) {
  Episode episode = sample();
  episode.steps[1].exposures = {{InsightId("i-1"), 0.9, true}, {InsightId("i-2"), 0.1, false}};
  std::vector<CritiqueClaim> claims{claim(ClaimKind::positive, {1}, 0.2),
                                    claim(ClaimKind::positive, {2}, 0.2)};
  check_claims(episode, claims);
  Delta fine;
  fine.kind = DeltaKind::deprecate;
  fine.claim = 0;
  fine.target = InsightId("i-1");
  Delta on_refused = fine;
  on_refused.claim = 1;
  Delta on_nothing = fine;
  on_nothing.claim = 2;
  Delta withheld = fine;
  withheld.target = InsightId("i-2");
  Delta narcissist = fine;
  narcissist.kind = DeltaKind::merge;
  narcissist.into = fine.target;
  Delta odd_field;
  odd_field.kind = DeltaKind::amend;
  odd_field.claim = 0;
  odd_field.technique = "unroll";
  odd_field.field = "name";
  odd_field.text = "x";
  std::vector<Delta> deltas{fine, on_refused, on_nothing, withheld, narcissist, odd_field};

  check_deltas(episode, claims, deltas);

  EXPECT_EQ(deltas[0].refused, "");
  EXPECT_EQ(deltas[1].refused, "the claim that it rests on was refused");
  EXPECT_EQ(deltas[2].refused, "it rests on no claim");
  EXPECT_EQ(deltas[3].refused, "no step of this episode was shown the insight i-2");
  EXPECT_EQ(deltas[4].refused, "it merges an insight with itself");
  EXPECT_THAT(deltas[5].refused, HasSubstr("no field 'name'"));
}

}  // namespace
}  // namespace warpmind::agents
