#include "agents/episode_loop.h"

#include "agents/builtin/builtin_proposer.h"
#include "agents/search/kernel_key.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/unit/agents/planted_task.h"

#include <cmath>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using fakes::ScriptedKernelLab;
using testing::Contains;
using testing::HasSubstr;

/// Writes kernels whose build flags are the edits made so far: {"a"}, {"a", "b"} …
class FlagProposer final : public Proposer {
 public:
  explicit FlagProposer(std::vector<std::string> flags) : flags_(std::move(flags)) {}
  [[nodiscard]] std::string name() const override { return "flags"; }
  [[nodiscard]] std::vector<std::string> techniques() const override { return flags_; }
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override {
    std::vector<Move> all;
    for (const auto& flag : flags_) {
      const auto& made = context.kernel.build_flags;
      if (std::find(made.begin(), made.end(), flag) == made.end()) all.push_back({flag, "", 1.1});
    }
    return all;
  }
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token /*stop*/) override {
    if (move.technique == limit) return fail(Errc::unavailable, "the day's tokens are spent");
    hidden_seen += context.task.hidden.size();
    Candidate candidate;
    candidate.kernel = context.kernel;
    candidate.kernel.build_flags.push_back(move.technique);
    std::sort(candidate.kernel.build_flags.begin(), candidate.kernel.build_flags.end());
    candidate.parent = id_of(context.kernel);
    candidate.proposer = author;
    candidate.technique = move.technique;
    Writing writing{std::move(candidate)};
    writing.spending.calls = 1;
    writing.spending.output_tokens = 10;
    return writing;
  }
  [[nodiscard]] Result<Writing> repair(const ProposalContext& context,
                                       std::stop_token /*stop*/) override {
    const Step& failed = context.steps.back();
    seen_by_repair.push_back(failed.candidate.technique + ": " + failed.gradient->text);
    if (repairs-- <= 0) return Writing{};
    Candidate candidate = failed.candidate;
    candidate.kernel.build_flags.push_back("repaired");
    return Writing{std::move(candidate)};
  }

  std::string author = "flags";
  std::string limit;
  int repairs = 0;
  std::vector<std::string> seen_by_repair;
  std::size_t hidden_seen = 0;  ///< ranges that were shown

 private:
  std::vector<std::string> flags_;
};

bool has(const Kernel& kernel, const char* flag) {
  const auto& flags = kernel.build_flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

class EpisodeLoopTest : public testing::Test {
 protected:
  EpisodeLoopTest() : devices_(config::DeviceTable::load().value()) {
    control_.progress = [this](const JobProgress& progress) {
      lines_.push_back(progress.line);
      news_.push_back(progress);
    };
    job_.request.policy = "greedy";
  }
  Result<Episode> run(Proposer& proposer, ScriptedKernelLab::Landscape landscape) {
    lab_ = std::make_unique<ScriptedKernelLab>(std::move(landscape));
    if (prepare_) prepare_(*lab_);
    return EpisodeLoop({*lab_, store_, proposer, devices_, clock_}).run_episode(job_, control_);
  }

  fakes::MemoryKnowledgeStore store_;
  config::DeviceTable devices_;
  SystemClock clock_;
  std::unique_ptr<ScriptedKernelLab> lab_;
  std::function<void(ScriptedKernelLab&)> prepare_;
  RunControl control_;
  Job job_ = planted_job(40);
  std::vector<std::string> lines_;
  std::vector<JobProgress> news_;
};

/// a makes it slower, b helps only after a.
std::optional<double> detour(const Kernel& kernel) {
  const bool a = has(kernel, "a");
  if (a && has(kernel, "b")) return 25;
  return a ? 110 : 100;
}

TEST_F(EpisodeLoopTest, HiddenRangesReachTheLabAndNoProposer) {
  job_.request.task.hidden = {{"n", 5, 97, 1}};
  job_.request.effort = Effort::strict;
  FlagProposer proposer({"a", "b"});
  const auto episode = run(proposer, detour);
  ASSERT_TRUE(episode.has_value()) << episode.error().message;
  EXPECT_GT(lab_->judged.size(), 2U);
  EXPECT_EQ(lab_->strictly_hidden, lab_->judged.size());
  EXPECT_EQ(proposer.hidden_seen, 0U);
}

TEST_F(EpisodeLoopTest, OnlyRewritesOfTheBuiltInAgentAreGatedOnSpills) {
  FlagProposer proposer({"a", "b"});
  ASSERT_TRUE(run(proposer, detour).has_value());
  EXPECT_GT(lab_->judged.size(), 1U);
  EXPECT_EQ(lab_->spill_gated, 0U);

  proposer.author = kBuiltinProposer;
  ASSERT_TRUE(run(proposer, detour).has_value());
  EXPECT_EQ(lab_->spill_gated, lab_->judged.size() - 1) << "all but the given kernel";
}

TEST_F(EpisodeLoopTest, OfTwoPredictionsTheBetterStaysHoweverCloseTheyAre) {
  FlagProposer proposer({"a", "b", "c"});
  prepare_ = [](ScriptedKernelLab& lab) { lab.predicts = true; };
  const auto episode = run(proposer, [](const Kernel& kernel) -> std::optional<double> {
                         double time = 100;
                         for (const char* flag : {"a", "b", "c"})
                           time /= has(kernel, flag) ? 1.2 : 1;
                         return time;
                       }).value();

  const Step& best = episode.steps[static_cast<std::size_t>(episode.best_step)];
  EXPECT_EQ(best.candidate.kernel.build_flags.size(), 3U) << "each step alone is within the band";
  EXPECT_EQ(best.verdict.outcome, Outcome::inconclusive);
  EXPECT_TRUE(best.accepted);
  EXPECT_NEAR(episode.best_against_baseline->ratio, 1.728, 1e-9);
  EXPECT_EQ(episode.outcome, Outcome::improved);
}

TEST_F(EpisodeLoopTest, ABetterPredictionIsKeptAndNotClaimed) {
  FlagProposer proposer({"a"});
  prepare_ = [](ScriptedKernelLab& lab) { lab.predicts = true; };
  const auto episode = run(proposer, [](const Kernel& kernel) -> std::optional<double> {
                         return has(kernel, "a") ? 80 : 100;
                       }).value();

  EXPECT_EQ(episode.best_step, 1);
  EXPECT_EQ(episode.outcome, Outcome::inconclusive);
  EXPECT_THAT(episode.summary, HasSubstr("a better kernel, predicted 1.25x the given one"));
  EXPECT_TRUE(episode.claims.empty()) << "nothing is taught from within the band";
}

TEST_F(EpisodeLoopTest, WhatTheCompilerMakesNothingNewOfIsNotJudged) {
  FlagProposer proposer({"a", "b", "idle", "void"});
  prepare_ = [](ScriptedKernelLab& lab) {
    lab.machine_code_of = [](const Kernel& kernel) {
      return std::string("code") + (has(kernel, "a") ? " a" : "") + (has(kernel, "b") ? " b" : "");
    };
  };
  const auto episode = run(proposer, detour).value();

  EXPECT_EQ(lab_->judged.size(), 4U) << "as given, a, b, and both";
  EXPECT_EQ(episode.steps.size(), 4U);
  EXPECT_THAT(lines_, Contains(HasSubstr("idle: the compiler makes of it what it made of step 0")));
}

TEST_F(EpisodeLoopTest, TheSameCodeUnderAnotherPlanIsJudged) {
  Kernel kernel = job_.request.task.kernel;
  const std::string key = machine_code_key(kernel, "code");
  kernel.source += "// a word";
  kernel.build_flags.push_back("--use_fast_math");
  EXPECT_EQ(machine_code_key(kernel, "code"), key);
  EXPECT_NE(machine_code_key(kernel, "other code"), key);
  kernel.plan.launches.front().block[0] = "64";
  EXPECT_NE(machine_code_key(kernel, "code"), key);
}

TEST_F(EpisodeLoopTest, AWayThroughASlowerKernelIsFoundAndComparedWithTheIncumbent) {
  job_.request.policy = "mcgs";
  FlagProposer proposer({"a", "b"});

  const auto episode = run(proposer, detour).value();

  const Step& best = episode.steps[static_cast<std::size_t>(episode.best_step)];
  EXPECT_TRUE(has(best.candidate.kernel, "a") && has(best.candidate.kernel, "b"));
  EXPECT_NEAR(episode.best_against_baseline->ratio, 4, 1e-9);
  // Its own comparison is with the slower kernel that it edits, the promotion with the given one.
  if (episode.steps[static_cast<std::size_t>(best.edited)].candidate.technique == "a") {
    EXPECT_NEAR(best.verdict.comparison->ratio, 4.4, 1e-9);
    ASSERT_TRUE(best.promotion.has_value());
    EXPECT_NEAR(best.promotion->ratio, 4, 1e-9);
  }
}

TEST_F(EpisodeLoopTest, EveryPolicyRunsOnARealEpisode) {
  for (const char* policy : {"greedy", "fsr", "mcgs", "evolve", "turns", "auto"}) {
    job_.request.policy = policy;
    builtin::BuiltinProposer proposer;

    const auto episode = run(proposer, [](const Kernel& kernel) -> std::optional<double> {
      return kernel.plan.launches[0].block[0] == "64" ? 30 : 100;
    });

    ASSERT_TRUE(episode.has_value()) << policy;
    EXPECT_EQ(episode->policy, policy);
    EXPECT_NEAR(episode->best_against_baseline->ratio, 100.0 / 30, 1e-9) << policy;
    EXPECT_FALSE(episode->ended.empty());
  }
}

TEST_F(EpisodeLoopTest, AnUnknownPolicyIsRefusedBeforeAnythingIsJudged) {
  job_.request.policy = "oracle";
  FlagProposer proposer({"a"});

  const auto episode = run(proposer, detour);

  ASSERT_FALSE(episode.has_value());
  EXPECT_EQ(episode.error().code, Errc::invalid_argument);
  EXPECT_TRUE(lab_->judged.empty());
}

TEST_F(EpisodeLoopTest, TheSameSeedGivesTheSameEpisode) {
  job_.request.policy = "evolve";
  job_.request.seed = 42;
  std::vector<std::string> first;
  std::vector<std::string> second;
  for (auto* order : {&first, &second}) {
    FlagProposer proposer({"a", "b", "c", "d"});
    const auto episode = run(proposer, detour).value();
    EXPECT_EQ(episode.seed, 42U);
    for (const auto& step : episode.steps) order->push_back(step.candidate.technique);
  }

  EXPECT_EQ(first, second);
}

TEST_F(EpisodeLoopTest, ParallelWorkersJudgeTheSameKernelsAndKeepTheBudget) {
  job_.request.workers = 3;
  job_.request.budget.evaluations = 4;
  FlagProposer proposer({"a", "b", "c"});

  const auto episode = run(proposer, detour).value();

  EXPECT_EQ(episode.steps.size(), 5U);
  EXPECT_THAT(episode.ended, HasSubstr("4 candidates"));
  EXPECT_EQ(episode.spending.calls, 5 - 1);
}

TEST_F(EpisodeLoopTest, AFailedCandidateGoesBackToTheProposerUntilItIsRight) {
  FlagProposer proposer({"a"});
  proposer.repairs = 1;

  const auto episode = run(proposer, [](const Kernel& kernel) -> std::optional<double> {
                         if (has(kernel, "repaired")) return 50;
                         if (has(kernel, "a")) return std::nullopt;
                         return 100;
                       }).value();

  ASSERT_EQ(episode.steps.size(), 3U);
  EXPECT_EQ(episode.steps[1].verdict.outcome, Outcome::wrong);
  EXPECT_EQ(episode.steps[2].verdict.outcome, Outcome::improved);
  EXPECT_EQ(episode.steps[2].edited, 0);
  EXPECT_THAT(proposer.seen_by_repair,
              testing::ElementsAre(HasSubstr("a is not right (wrong): y[0]: got 1, want 2")));
}

TEST_F(EpisodeLoopTest, RepairsEndWithTheBudget) {
  job_.request.budget.evaluations = 3;
  FlagProposer proposer({"a", "b"});
  proposer.repairs = 100;

  const auto episode = run(proposer, [](const Kernel& kernel) -> std::optional<double> {
                         if (kernel.build_flags.empty()) return 100;
                         return std::nullopt;
                       }).value();

  EXPECT_EQ(episode.steps.size(), 4U);
}

TEST_F(EpisodeLoopTest, AProposerWhoseBudgetIsSpentEndsTheEpisodeWithWhatThereIs) {
  FlagProposer proposer({"a", "b"});
  proposer.limit = "b";

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 50 : 100; }).value();

  EXPECT_EQ(episode.outcome, Outcome::improved);
  EXPECT_EQ(episode.ended, "the day's tokens are spent");
}

TEST_F(EpisodeLoopTest, EveryStepHasItsGradientScoreAndReturn) {
  FlagProposer proposer({"a"});

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 50 : 100; }).value();

  ASSERT_EQ(episode.steps.size(), 2U);
  ASSERT_TRUE(episode.steps[1].gradient.has_value());
  EXPECT_NEAR(*episode.steps[1].gradient->measured_log_gain, std::log(2), 1e-9);
  EXPECT_NEAR(episode.steps[1].score, 2.3, 1e-9);
  EXPECT_NEAR(episode.steps[1].turn_return, 2.3, 1e-9);
  EXPECT_NEAR(episode.steps[0].turn_return, 1.3 + 0.4 * 2.3, 1e-9);
  ASSERT_EQ(episode.claims.size(), 1U);
  EXPECT_EQ(episode.claims[0].refused, "");
  EXPECT_THAT(lines_, Contains(HasSubstr("learned: a gained 2.00x")));
}

TEST_F(EpisodeLoopTest, SaysWhichStageOfWhichCandidateIsRunning) {
  FlagProposer proposer({"a"});

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 50 : 100; }).value();

  std::vector<std::string> stages;
  for (const auto& one : news_) {
    if (one.stage.empty()) continue;
    stages.push_back(std::to_string(one.candidate) + " " + one.technique + " " + one.stage);
  }
  EXPECT_THAT(stages,
              testing::ElementsAre("0  starting", "0  building", "0  measuring", "1 a writing",
                                   "1 a starting", "1 a building", "1 a measuring"));
}

TEST_F(EpisodeLoopTest, EveryJudgedKernelIsOneMilestone) {
  FlagProposer proposer({"a", "b"});

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 50 : 100; }).value();

  std::vector<std::string> milestones;
  for (const auto& one : news_) {
    if (one.milestone) milestones.push_back(std::to_string(one.step) + " " + one.line);
  }
  ASSERT_EQ(milestones.size(), episode.steps.size() + 1);  // and what memory says
  EXPECT_EQ(milestones[0], "0 the given kernel: baseline");
  EXPECT_THAT(milestones[1], HasSubstr("0 memory: "));
  EXPECT_EQ(milestones[2], "1 a: improved");
}

TEST_F(EpisodeLoopTest, AtTheLimitNothingMoreIsTried) {
  // 4 Mi x 8 bytes at the H200's 4.8 TB/s take 6.99 us.
  job_.request.task.workloads[1].sizes["n"] = 1 << 22;
  FlagProposer proposer({"a", "b"});

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 7.1 : 20; }).value();

  EXPECT_EQ(episode.steps.size(), 2U);
  EXPECT_THAT(episode.ended, HasSubstr("times the limit"));
}

TEST_F(EpisodeLoopTest, WhatTheTableSaysOfLaunchesEndsNoEpisode) {
  // 4096 x 8 bytes: the limit is the table's launch of 2.8 us, which nobody timed here.
  FlagProposer proposer({"a", "b"});

  const auto episode =
      run(proposer, [](const Kernel& kernel) { return has(kernel, "a") ? 2.85 : 20; }).value();

  EXPECT_GT(episode.steps.size(), 2U);
}

}  // namespace
}  // namespace warpmind::agents
