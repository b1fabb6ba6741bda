#include "knowledge_base/insights/gate.h"

#include "knowledge_base/insights/scope_split.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct Seen {
  std::string episode;
  std::string task;
  double log_gain = 0;
  std::string device = "NVIDIA H200";
  int capability = 90;
  std::string family = "scan";
  Provider provider = Provider::gpu;
  bool confirmed = true;
  std::optional<Outcome> outcome = std::nullopt;
};

/// What the fold makes of a claim and evidence; `supports` follows from gain and kind.
StoredInsight stored_with(InsightKind kind, const std::vector<Seen>& all) {
  std::vector<LoggedEvent> events;
  InsightEvent add;
  add.insight = InsightId("i-1");
  add.content = Insight{};
  add.content->kind = kind;
  add.content->claim = "unroll pays";
  add.content->action.techniques = {"unroll"};
  add.content->provenance.source = "user:alice";
  add.source = "user:alice";
  events.push_back({1, 0, add});
  for (const auto& seen : all) {
    InsightEvent event;
    event.insight = InsightId("i-1");
    event.op = InsightOp::evidence;
    const bool gained = seen.log_gain > 0;
    event.evidence = EvidenceRef{EpisodeId(seen.episode),
                                 1,
                                 TaskId(seen.task),
                                 seen.family,
                                 seen.provider,
                                 seen.device,
                                 gained != (kind == InsightKind::negative),
                                 seen.log_gain,
                                 seen.confirmed};
    event.capability = seen.capability;
    event.outcome = seen.outcome;
    event.source = source_of(event);
    events.push_back({static_cast<std::int64_t>(events.size()) + 1, 0, event});
  }
  return fold(InsightId("i-1"), events, {}).value();
}

InsightState state_of(InsightKind kind, const std::vector<Seen>& all) {
  const auto stored = stored_with(kind, all);
  const auto judgement = judge(stored);
  return judgement ? judgement->state : stored.stated;
}

constexpr auto kPositive = InsightKind::positive;
constexpr auto kNegative = InsightKind::negative;

TEST(Gate, NothingMeasuredStaysProposed) {
  EXPECT_EQ(state_of(kPositive, {}), InsightState::proposed);
}

TEST(Gate, TheFirstLocalEvidencePutsItOnProbation) {
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.9}}), InsightState::probation);
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", -0.1}}), InsightState::probation);
  EXPECT_EQ(state_of(kNegative, {{"e-1", "t-1", -0.1}}), InsightState::probation);
}

TEST(Gate, IndependentEpisodesThatAgreeConfirm) {
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.5}, {"e-2", "t-2", 0.4}}),
            InsightState::confirmed);
  // The same task counts again on another device only.
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.5}, {"e-2", "t-1", 0.4}}),
            InsightState::probation);
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.5}, {"e-2", "t-1", 0.4, "A100", 80}}),
            InsightState::confirmed);
  // Two tries of one episode are one witness.
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.5}, {"e-1", "t-1", 0.4}}),
            InsightState::probation);
}

TEST(Gate, AgreementAloneIsNotEnoughWhileTheGainIsUncertain) {
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.05}, {"e-2", "t-2", 0.04}}),
            InsightState::probation);
  std::vector<Seen> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back({"e-" + std::to_string(i), "t-" + std::to_string(i), 0.05});
  }
  EXPECT_EQ(state_of(kPositive, many), InsightState::confirmed);
}

TEST(Gate, ScreeningsConfirmNothing) {
  std::vector<Seen> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back({"e-" + std::to_string(i), "t-" + std::to_string(i), -0.5});
    many.back().confirmed = false;
  }
  EXPECT_EQ(state_of(kNegative, many), InsightState::probation);
}

TEST(Gate, BothSidesMeasuredIsContested) {
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", 0.3}, {"e-2", "t-2", -0.3}}),
            InsightState::contested);
  EXPECT_EQ(state_of(kNegative, {{"e-1", "t-1", 0.3}, {"e-2", "t-2", -0.3}}),
            InsightState::contested);
  // A clear majority confirms in spite of one that disagrees.
  std::vector<Seen> clear{{"e-0", "t-0", -0.05}};
  for (int i = 1; i < 9; ++i) {
    clear.push_back({"e-" + std::to_string(i), "t-" + std::to_string(i), 0.5});
  }
  EXPECT_EQ(state_of(kPositive, clear), InsightState::confirmed);
}

TEST(Gate, NegativeClaimsMirrorPositiveOnes) {
  EXPECT_EQ(state_of(kNegative, {{"e-1", "t-1", -0.5}, {"e-2", "t-2", -0.4}}),
            InsightState::confirmed);
  // Failures repeat: they count as confirmed, and for leaving it.
  std::vector<Seen> failed;
  for (int i = 0; i < 4; ++i) {
    failed.push_back({"e-" + std::to_string(i), "t-" + std::to_string(i), 0});
    failed.back().confirmed = false;
    failed.back().outcome = Outcome::build_failed;
  }
  EXPECT_EQ(state_of(kNegative, failed), InsightState::confirmed);
  EXPECT_EQ(state_of(kPositive, failed), InsightState::probation);
}

TEST(Gate, WhatIndependentEpisodesRefuteIsQuarantined) {
  EXPECT_EQ(state_of(kPositive, {{"e-1", "t-1", -0.5}, {"e-2", "t-2", -0.4}}),
            InsightState::quarantined);
  EXPECT_EQ(state_of(kNegative, {{"e-1", "t-1", 0.7}, {"e-2", "t-2", 0.6}}),
            InsightState::quarantined);
}

TEST(Gate, SimulatedEvidenceStopsAtProbation) {
  std::vector<Seen> simulated;
  for (int i = 0; i < 9; ++i) {
    simulated.push_back({"e-" + std::to_string(i), "t-" + std::to_string(i), 0.6});
    simulated.back().provider = Provider::sim;
  }
  const auto judgement = judge(stored_with(kPositive, simulated));
  ASSERT_TRUE(judgement);
  EXPECT_EQ(judgement->state, InsightState::probation);
  EXPECT_THAT(judgement->reason, HasSubstr("9 of 9 simulations for it; no GPU has measured it"));
  // One measurement is not confirmed by nine simulations.
  simulated.push_back({"e-20", "t-20", 0.6});
  EXPECT_EQ(state_of(kPositive, simulated), InsightState::probation);
}

TEST(Gate, ATransitionNamesItsEvidenceAndSaysWhy) {
  const auto judgement = judge(stored_with(kPositive, {{"e-1", "t-1", 0.5}, {"e-2", "t-2", 0.4}}));
  ASSERT_TRUE(judgement);
  EXPECT_THAT(judgement->because, testing::ElementsAre(EpisodeId("e-1"), EpisodeId("e-2")));
  EXPECT_EQ(judgement->reason,
            "independent episodes agree: 2 of 2 measurements for it; following it is worth 1.20x "
            "(80 %: 1.03x to 1.39x)");
}

TEST(Gate, WhatAPersonSetOrPinnedStays) {
  auto stored = stored_with(kPositive, {{"e-1", "t-1", 0.5}, {"e-2", "t-2", 0.4}});
  stored.insight.pinned = true;
  EXPECT_FALSE(judge(stored));
  stored.insight.pinned = false;
  stored.held = true;
  EXPECT_FALSE(judge(stored));
  stored.held = false;
  EXPECT_TRUE(judge(stored));
  stored.insight.state = InsightState::quarantined;  // its source is
  EXPECT_FALSE(judge(stored));
}

TEST(ScopeSplit, SidesThatLieApartByGenerationBecomeTwoInsights) {
  const auto plan = plan_split(stored_with(kPositive, {{"e-1", "t-1", 0.4},
                                                       {"e-2", "t-2", 0.3},
                                                       {"e-3", "t-1", -0.4, "A100", 80},
                                                       {"e-4", "t-2", -0.3, "A10", 86}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->by, "compute capability");
  ASSERT_THAT(plan->sides, SizeIs(2));
  const auto& [fails, turned_round] = plan->sides.front();
  EXPECT_TRUE(turned_round);
  EXPECT_EQ(fails.kind, kNegative);
  EXPECT_EQ(fails.claim, "unroll does not pay (sm_80 to sm_86)");
  EXPECT_EQ(fails.scope.capability_min, 80);
  EXPECT_EQ(fails.scope.capability_max, 86);
  const Insight& holds = plan->sides.back().claim;
  EXPECT_EQ(holds.kind, kPositive);
  EXPECT_EQ(holds.claim, "On sm_90: unroll pays");
  EXPECT_THAT(holds.supersedes, testing::ElementsAre(InsightId("i-1")));
}

TEST(ScopeSplit, FamiliesAndDevicesSeparateWhereGenerationsDoNot) {
  const auto by_family =
      plan_split(stored_with(kPositive, {{"e-1", "t-1", 0.4, "NVIDIA H200", 90, "scan"},
                                         {"e-2", "t-2", 0.3, "NVIDIA H200", 90, "scan"},
                                         {"e-3", "t-3", -0.4, "NVIDIA H200", 90, "gemm"},
                                         {"e-4", "t-4", -0.3, "NVIDIA H200", 90, "gemm"}}));
  ASSERT_TRUE(by_family);
  EXPECT_EQ(by_family->by, "operator family");
  EXPECT_THAT(by_family->sides.back().claim.scope.operator_families, testing::ElementsAre("scan"));

  const auto by_device = plan_split(stored_with(kNegative, {{"e-1", "t-1", 0.4, "NVIDIA H200"},
                                                            {"e-2", "t-2", 0.3, "NVIDIA H200"},
                                                            {"e-3", "t-1", -0.4, "NVIDIA H100"},
                                                            {"e-4", "t-2", -0.3, "NVIDIA H100"}}));
  ASSERT_TRUE(by_device);
  EXPECT_EQ(by_device->by, "device");
  // Against a negative claim speaks that it pays there.
  EXPECT_EQ(by_device->sides.front().claim.kind, kPositive);
  EXPECT_EQ(by_device->sides.front().claim.scope.device, "NVIDIA H200");
  EXPECT_EQ(by_device->sides.back().claim.scope.device, "NVIDIA H100");
}

TEST(ScopeSplit, MixedOrThinSidesAreLeftTogether) {
  EXPECT_FALSE(
      plan_split(stored_with(kPositive, {{"e-1", "t-1", 0.4}, {"e-3", "t-1", -0.4, "A100", 80}})));
  EXPECT_FALSE(plan_split(stored_with(
      kPositive,
      {{"e-1", "t-1", 0.4}, {"e-2", "t-2", -0.3}, {"e-3", "t-1", -0.4}, {"e-4", "t-2", 0.3}})));
}

}  // namespace
}  // namespace warpmind::knowledge_base
