#include "knowledge_base/evidence.h"

#include "tests/fakes/sample_episodes.h"

#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using fakes::EpisodeSketch;
using fakes::StepSketch;
using testing::IsEmpty;

const Task& task() {
  static const Task made = fakes::sample_task("scale");
  return made;
}

/// The evidence of an episode with one step like `sketch`.
std::vector<Evidence> evidence_for(const StepSketch& sketch) {
  return evidence_of(EpisodeSketch(1, task()).step(sketch).finish());
}

TEST(EvidenceOf, ConfirmedComparisonsCountWhateverTheirSign) {
  const auto gain = evidence_for({.ratio = 1.5, .processes = 7}).at(0);
  const auto loss =
      evidence_for({.outcome = Outcome::regressed, .ratio = 0.8, .processes = 2}).at(0);

  EXPECT_NEAR(gain.confirmed_log_gain.value(), std::log(1.5), 1e-12);
  EXPECT_NEAR(loss.confirmed_log_gain.value(), std::log(0.8), 1e-12);
  EXPECT_EQ(gain.feasible, true);
  EXPECT_EQ(gain.scope.technique, "block_size");
  EXPECT_EQ(gain.scope.bottleneck, BottleneckClass::low_occupancy);
  EXPECT_EQ(gain.scope.device.name, "NVIDIA H200");
}

TEST(EvidenceOf, AScreeningCountsOnlyAgainst) {
  const auto same = evidence_for({.outcome = Outcome::same, .ratio = 1.02, .processes = 1}).at(0);
  const auto worse =
      evidence_for({.outcome = Outcome::regressed, .ratio = 0.5, .processes = 1}).at(0);
  const auto better =
      evidence_for({.outcome = Outcome::improved, .ratio = 1.5, .processes = 1}).at(0);

  EXPECT_EQ(same.screened_log_gain, 0.0) << "a lucky 1.02 is not a gain";
  EXPECT_NEAR(worse.screened_log_gain.value(), std::log(0.5), 1e-12);
  EXPECT_EQ(better.screened_log_gain, std::nullopt);
  EXPECT_EQ(better.confirmed_log_gain, std::nullopt);
  EXPECT_EQ(better.feasible, true);
}

TEST(EvidenceOf, FailuresOfAMechanicalRewriteSayOnlyThatItDoesNotWork) {
  for (const Outcome outcome : {Outcome::wrong, Outcome::timed_out, Outcome::cheating}) {
    const auto all = evidence_for({.outcome = outcome, .ratio = 9, .processes = 7});
    ASSERT_EQ(all.size(), 1U) << name_of(outcome);
    EXPECT_EQ(all[0].feasible, false) << name_of(outcome);
    EXPECT_EQ(all[0].confirmed_log_gain, std::nullopt) << name_of(outcome);
    EXPECT_EQ(all[0].scope.device.name, "NVIDIA H200") << "known from the baseline";
  }
}

TEST(EvidenceOf, AFaultOfOurOwnTextSaysNothingAboutTheTechnique) {
  const auto with_last = [](Stage stage, Outcome outcome, const std::string& proposer) {
    Episode episode =
        EpisodeSketch(1, task()).step({.outcome = outcome, .proposer = proposer}).finish();
    Verdict& verdict = episode.steps[1].verdict;
    verdict.stages = {{Stage::build, 1, true, ""}, {stage, 1, false, "refused"}};
    verdict.build = BuildReport{};
    verdict.build->succeeded = stage != Stage::build;
    return evidence_of(episode);
  };
  for (const Stage stage : {Stage::static_checks, Stage::simulation, Stage::sanitizer}) {
    EXPECT_THAT(with_last(stage, Outcome::wrong, "builtin"), IsEmpty()) << name_of(stage);
  }
  EXPECT_THAT(with_last(Stage::build, Outcome::build_failed, "builtin"), IsEmpty());
  EXPECT_THAT(with_last(Stage::sanitizer, Outcome::crashed, "builtin"), IsEmpty());
  EXPECT_THAT(with_last(Stage::full_oracle, Outcome::crashed, "builtin"), IsEmpty());
  EXPECT_EQ(with_last(Stage::full_oracle, Outcome::wrong, "builtin").size(), 1U)
      << "whether other results are near enough depends on the task";
}

TEST(EvidenceOf, SlipsOfAWriterAndCrashesSayNothingAboutATechnique) {
  for (const Outcome outcome : {Outcome::build_failed, Outcome::crashed}) {
    EXPECT_THAT(evidence_for({.outcome = outcome, .processes = 0}), IsEmpty()) << name_of(outcome);
  }
  for (const Outcome outcome : {Outcome::wrong, Outcome::build_failed, Outcome::crashed,
                                Outcome::timed_out, Outcome::cheating}) {
    for (const char* writer : {"llm", "external", "replay", "somebody"}) {
      EXPECT_THAT(evidence_for({.outcome = outcome, .processes = 0, .proposer = writer}), IsEmpty())
          << name_of(outcome) << " by " << writer;
    }
  }
}

TEST(EvidenceOf, NewSpillsAreAFailureOfTheTechnique) {
  Episode episode =
      EpisodeSketch(1, task()).step({.outcome = Outcome::build_failed, .processes = 0}).finish();
  BuildReport built;
  built.succeeded = true;
  episode.steps[1].verdict.build = built;

  ASSERT_EQ(evidence_of(episode).size(), 1U);
  EXPECT_EQ(evidence_of(episode)[0].feasible, false);
}

TEST(EvidenceOf, WhatCouldNotBeMeasuredOrJudgedSaysNothing) {
  EXPECT_THAT(evidence_for({.outcome = Outcome::blocked, .processes = 0}), IsEmpty());
  EXPECT_THAT(evidence_for({.outcome = Outcome::unjudgeable, .processes = 0}), IsEmpty());
}

TEST(EvidenceOf, RememberedKernelsAndNamelessStepsSayNothing) {
  EXPECT_THAT(evidence_for({.proposer = "memory"}), IsEmpty());
  EXPECT_THAT(evidence_for({.technique = ""}), IsEmpty());
}

TEST(EvidenceOf, HeldOutEpisodesSayNothing) {
  const Task heldout = fakes::sample_task("secret", Split::heldout);

  EXPECT_THAT(evidence_of(EpisodeSketch(1, heldout).step({}).finish()), IsEmpty());
}

TEST(EvidenceOf, ImpossibleRatiosAreNoGain) {
  for (const double ratio : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const auto all = evidence_for({.ratio = ratio});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].confirmed_log_gain, std::nullopt) << ratio;
  }
}

TEST(EvidenceOf, NamesTheStepAndTheToolchain) {
  const auto all = evidence_of(EpisodeSketch(1, task())
                                   .step({.proposer = "memory"})
                                   .step({.outcome = Outcome::wrong, .processes = 0})
                                   .step({.ratio = 1.5})
                                   .finish());

  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].step, 2U);
  EXPECT_EQ(all[1].step, 3U);
  EXPECT_EQ(all[0].toolchain, (Toolchain{"13.0", "580.159.04"})) << "known from the baseline";
  PosteriorCounts counts;
  add(counts, all[0]);
  EXPECT_EQ(counts.toolchain, Toolchain{}) << "a failure says nothing about a gain";
  add(counts, all[1]);
  EXPECT_EQ(counts.toolchain, (Toolchain{"13.0", "580.159.04"}));
}

TEST(TechniqueBehind, IsTheNewestOfARememberedKernel) {
  Candidate candidate;
  EXPECT_EQ(technique_behind(candidate), "") << "the kernel as given";
  candidate.technique = "unroll";
  candidate.parameters = "factor=4+2";
  EXPECT_EQ(technique_behind(candidate), "unroll");
  candidate.proposer = "memory";
  candidate.technique = "remembered_kernel";
  candidate.parameters = "tiling+vectorize";
  EXPECT_EQ(technique_behind(candidate), "vectorize");
  candidate.parameters = "tiling";
  EXPECT_EQ(technique_behind(candidate), "tiling");
  candidate.parameters = "";
  EXPECT_EQ(technique_behind(candidate), "");
}

TEST(MoveName, IsOfShortPlainParametersOnly) {
  EXPECT_EQ(move_name("unroll", "factor=4"),
            "unroll\x1f"
            "factor=4");
  EXPECT_EQ(move_name("unroll", ""), "");
  EXPECT_NE(move_name("unroll", std::string(64, 'x')), "");
  EXPECT_EQ(move_name("unroll", std::string(65, 'x')), "");
  EXPECT_EQ(move_name("unroll", "factor\n4"), "");
  EXPECT_EQ(move_name("un\x1froll", "factor=4"), "") << "two names must never be one";
  EXPECT_NE(move_name("unroll", "µ=4"), "");
}

TEST(KeysOf, CountsForTheTechniqueAndForItsParametersEachLevelOnce) {
  Evidence evidence = evidence_for({.ratio = 1.5}).at(0);
  evidence.parameters.clear();
  EXPECT_EQ(keys_of(evidence).size(), 5U);
  evidence.parameters = "block=32x1x1";

  const auto keys = keys_of(evidence);

  ASSERT_EQ(keys.size(), 9U);
  EXPECT_EQ(keys[4].technique, "block_size");
  EXPECT_EQ(keys[4].level, PosteriorLevel::device);
  EXPECT_EQ(keys[5].technique,
            "block_size\x1f"
            "block=32x1x1");
  EXPECT_EQ(keys[5].level, PosteriorLevel::technique);
  EXPECT_EQ(keys[8].level, PosteriorLevel::device);
  EXPECT_EQ(std::set<PosteriorKey>(keys.begin(), keys.end()).size(), 9U);
}

TEST(Describe, SaysEachNumberThatThereIs) {
  PosteriorCounts counts;
  EXPECT_EQ(describe(counts, Provider::gpu), "");
  counts.infeasible = 2;
  EXPECT_EQ(describe(counts, Provider::gpu), "failed 2 of 2 times");
  counts.feasible = 1;
  counts.confirmed.add(std::log(1.5), 1);
  EXPECT_EQ(describe(counts, Provider::gpu), "1.50x mean gain, 1 measurement, failed 2 of 3 times");
  counts.screened.add(0, 0.5);
  counts.infeasible = 0;
  EXPECT_EQ(describe(counts, Provider::gpu),
            "1.50x mean gain, 1 measurement, no gain in 1 screening");
}

}  // namespace
}  // namespace warpmind::knowledge_base
