/// \file
/// An episode that was interrupted after any of its steps goes on with what was kept of it.

#include "agents/episode_loop.h"
#include "agents/episode_service.h"
#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/unit/agents/planted_task.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using fakes::ScriptedKernelLab;
using testing::HasSubstr;

const std::vector<std::string> kFlags{"a", "b", "c", "d", "e", "f", "bad", "worse"};

bool has(const Kernel& kernel, const std::string& flag) {
  const auto& flags = kernel.build_flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// Each flag is worth something of its own; "bad" is wrong until repaired, "worse" always.
std::optional<double> landscape(const Kernel& kernel) {
  if (has(kernel, "worse")) return std::nullopt;
  if (has(kernel, "bad") && !has(kernel, "repaired")) return std::nullopt;
  double time = 100;
  for (std::size_t i = 0; i < 6; ++i) {
    if (has(kernel, kFlags[i])) time *= 1.05 - 0.06 * static_cast<double>(i);
  }
  return time;
}

/// Adds flags; writes "d" of the second row not at all, and "f" as the kernel of "a".
class FlagWriter final : public Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "flags"; }
  [[nodiscard]] std::vector<std::string> techniques() const override { return kFlags; }
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override {
    std::vector<Move> all;
    for (const auto& flag : kFlags) {
      if (!has(context.kernel, flag)) all.push_back({flag, "", 1.1});
    }
    return all;
  }
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token /*stop*/) override {
    {
      const std::scoped_lock lock(mutex_);
      ++written;
    }
    Writing writing;
    writing.spending.calls = 1;
    writing.spending.output_tokens = 10;
    if (move.technique == "d" && !context.kernel.build_flags.empty()) return writing;
    const std::string flag = move.technique == "f" ? "a" : move.technique;
    Candidate candidate;
    candidate.kernel = context.kernel;
    if (!has(candidate.kernel, flag)) candidate.kernel.build_flags.push_back(flag);
    std::sort(candidate.kernel.build_flags.begin(), candidate.kernel.build_flags.end());
    candidate.parent = id_of(context.kernel);
    candidate.proposer = "flags";
    candidate.technique = move.technique;
    writing.candidate = std::move(candidate);
    return writing;
  }
  [[nodiscard]] Result<Writing> repair(const ProposalContext& context,
                                       std::stop_token /*stop*/) override {
    const Step& failed = context.steps.back();
    if (has(failed.candidate.kernel, "repaired")) return Writing{};
    Writing writing{failed.candidate};
    writing.candidate->kernel.build_flags.push_back("repaired");
    writing.spending.calls = 1;
    writing.spending.output_tokens = 5;
    return writing;
  }

  int written = 0;

 private:
  std::mutex mutex_;
};

struct Case {
  const char* policy;
  std::int64_t workers;
};

/// What of an episode must not depend on interruptions.
std::string lasting(Episode episode) {
  episode.finished = {};
  episode.started = {};
  return codec::dump_json(episode);
}

class EpisodeResume : public testing::TestWithParam<Case> {
 protected:
  EpisodeResume() : devices_(config::DeviceTable::load().value()) {
    job_.request.policy = GetParam().policy;
    job_.request.workers = GetParam().workers;
    job_.request.seed = 11;
  }

  /// Judged kernels are in `lab_->judged` afterwards.
  Episode run(const Draft* past, std::vector<Draft>* drafts = nullptr) {
    lab_ = std::make_unique<ScriptedKernelLab>(landscape);
    writer_ = std::make_unique<FlagWriter>();
    RunControl control;
    control.past = past;
    control.keep = [drafts](Draft draft) -> Result<void> {
      if (drafts != nullptr) drafts->push_back(std::move(draft));
      return {};
    };
    auto episode =
        EpisodeLoop({*lab_, store_, *writer_, devices_, clock_}).run_episode(job_, control);
    EXPECT_TRUE(episode.has_value()) << episode.error().message;
    return episode.value_or(Episode{});
  }

  fakes::MemoryKnowledgeStore store_;
  config::DeviceTable devices_;
  SystemClock clock_;
  std::unique_ptr<ScriptedKernelLab> lab_;
  std::unique_ptr<FlagWriter> writer_;
  Job job_ = planted_job(13);
};

/// The first steps without what is given to them when the episode ends.
std::vector<std::string> kept_part(const Episode& episode, std::size_t steps) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < steps; ++i) {
    Step step = episode.steps.at(i);
    step.score = 0;
    step.turn_return = 0;
    kept.push_back(codec::dump_json(step));
  }
  return kept;
}

TEST_P(EpisodeResume, AfterAnyStepTheKeptStepsStandAndNothingIsJudgedTwice) {
  std::vector<Draft> drafts;
  const Episode calm = run(nullptr, &drafts);
  ASSERT_GT(calm.steps.size(), 10U);
  ASSERT_GE(drafts.size(), calm.steps.size());

  for (const Draft& draft : drafts) {
    const auto kept = draft.episode.steps.size();
    const Episode resumed = run(&draft);

    ASSERT_GE(resumed.steps.size(), kept);
    EXPECT_EQ(kept_part(resumed, kept), kept_part(draft.episode, kept)) << "after " << kept;
    EXPECT_EQ(lab_->judged.size() + kept, resumed.steps.size()) << "no step is judged twice";
    std::set<KernelId> kernels;
    for (const auto& step : resumed.steps) kernels.insert(id_of(step.candidate.kernel));
    EXPECT_EQ(kernels.size(), resumed.steps.size()) << "nor a kernel that an earlier step judged";
    EXPECT_EQ(resumed.steps.size(), calm.steps.size()) << "kept steps count in the budget";
    EXPECT_GE(resumed.best_step, draft.episode.best_step) << "the best is kept or beaten";
    EXPECT_GE(resumed.spending.calls, draft.episode.spending.calls);
  }
}

TEST_P(EpisodeResume, AfterItsLastStepItEndsAsOneThatWasNotInterrupted) {
  std::vector<Draft> drafts;
  const Episode calm = run(nullptr, &drafts);
  ASSERT_EQ(drafts.back().episode.steps.size(), calm.steps.size());

  EXPECT_EQ(lasting(run(&drafts.back())), lasting(calm)) << "steps, budget, best and credit";
  EXPECT_EQ(lab_->judged.size(), 0U);
}

/// A policy without dice has nothing to draw anew.
class GreedyResume : public EpisodeResume {};

TEST_P(GreedyResume, AfterAnyStepItEndsAsOneThatWasNotInterrupted) {
  std::vector<Draft> drafts;
  const Episode calm = run(nullptr, &drafts);
  for (const Draft& draft : drafts) {
    EXPECT_EQ(lasting(run(&draft)), lasting(calm)) << "after " << draft.episode.steps.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, GreedyResume, testing::Values(Case{"greedy", 1}),
                         [](const auto& one) { return std::string(one.param.policy); });

TEST_P(EpisodeResume, TheBaseMayHaveLearnedMeanwhile) {
  std::vector<Draft> drafts;
  const Episode calm = run(nullptr, &drafts);
  const Draft& draft = drafts.at(drafts.size() / 2);
  // Another job of this task ends between the two starts: memory expects something else now.
  const Job other = store_.add_job(job_.request, {}).value();
  Episode taught = calm;
  taught.id = EpisodeId("e" + other.id.str().substr(1));
  Job ended = other;
  ended.state = JobState::done;
  ASSERT_TRUE(store_.commit(taught, ended).has_value());

  const Episode resumed = run(&draft);

  ASSERT_GE(resumed.steps.size(), draft.episode.steps.size());
  for (std::size_t i = 0; i < draft.episode.steps.size(); ++i) {
    EXPECT_EQ(resumed.steps[i].candidate, draft.episode.steps[i].candidate) << i;
  }
  std::set<KernelId> kernels;
  for (const auto& step : resumed.steps) kernels.insert(id_of(step.candidate.kernel));
  EXPECT_EQ(kernels.size(), resumed.steps.size()) << "no kernel is judged twice";
  EXPECT_LE(static_cast<std::int64_t>(resumed.steps.size()), 1 + job_.request.budget.evaluations);
}

INSTANTIATE_TEST_SUITE_P(Policies, EpisodeResume,
                         testing::Values(Case{"greedy", 1}, Case{"fsr", 1}, Case{"fsr", 3},
                                         Case{"mcgs", 1}, Case{"mcgs", 4}, Case{"evolve", 2},
                                         Case{"turns", 1}, Case{"auto", 1}, Case{"auto", 3}),
                         [](const auto& one) {
                           return std::string(one.param.policy) + std::to_string(one.param.workers);
                         });

/// Of a job that starts again and again: the machine fails after so many judgements.
class ServiceResume : public testing::Test {
 protected:
  /// Runs the job once; nullopt when the machine failed.
  std::optional<Result<void>> start(std::size_t judgements) {
    lab_ = std::make_shared<ScriptedKernelLab>([this, judgements](const Kernel& kernel) {
      // Each judgement asks for two times, a baseline for one.
      if (lab_->judged.size() > judgements) throw std::runtime_error("power cut");
      return landscape(kernel);
    });
    EpisodeService service(
        store_, devices_, [this](const JobRequest&) { return lab_; }, clock_, {},
        [](const JobRequest&) -> Result<Writers> {
          Writers writers;
          writers.proposer = std::make_unique<FlagWriter>();
          return writers;
        });
    Job job = store_.find_job(id_).value().value();
    job.state = JobState::running;
    ++job.attempts;
    ++job.epoch;
    EXPECT_TRUE(store_.update_job(job).has_value());
    std::optional<Result<void>> ended;
    try {
      ended = service.run_job(job, RunControl{});
    } catch (const std::runtime_error&) {
      ended.reset();
    }
    judged_ += std::min(lab_->judged.size(), judgements);
    return ended;
  }

  Job stored() { return store_.find_job(id_).value().value(); }

  fakes::MemoryKnowledgeStore store_;
  config::DeviceTable devices_ = config::DeviceTable::load().value();
  SystemClock clock_;
  std::shared_ptr<ScriptedKernelLab> lab_;
  JobId id_ = store_.add_job(planted_job(12).request, {}).value().id;
  std::size_t judged_ = 0;  ///< to their end, in all starts
};

TEST_F(ServiceResume, EveryStepIsJudgedOnceAndChargedOnce) {
  std::int64_t known = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(start(4).has_value()) << "it dies in its fifth judgement";
    const Job job = stored();
    EXPECT_GT(job.spent.evaluations, known) << "each start gets further";
    known = job.spent.evaluations;
  }
  const auto ended = start(1000);
  ASSERT_TRUE(ended && ended->has_value());

  const Job job = stored();
  EXPECT_EQ(job.state, JobState::done);
  ASSERT_TRUE(job.episode.has_value());
  EXPECT_EQ(job.episode->steps.size(), judged_);
  EXPECT_EQ(job.spent.evaluations, static_cast<std::int64_t>(job.episode->steps.size()) - 1);
  EXPECT_EQ(job.spent.tokens, job.episode->spending.tokens());
  EXPECT_LE(job.spent.evaluations, 12);
}

TEST_F(ServiceResume, StepsOfAnotherDeviceAreNotTakenUp) {
  EXPECT_FALSE(start(4).has_value());
  Draft draft = store_.find_draft(EpisodeId("e" + id_.str().substr(1))).value().value();
  draft.episode.steps.front().verdict.measurement->device.name = "NVIDIA L40S";
  ASSERT_TRUE(store_.save_draft(draft).has_value());
  const auto before = stored().spent.evaluations;

  ASSERT_TRUE(start(1000)->has_value());

  const Job job = stored();
  EXPECT_EQ(job.state, JobState::done);
  EXPECT_EQ(job.spent.evaluations,
            before + static_cast<std::int64_t>(job.episode->steps.size()) - 1);
  EXPECT_LE(job.spent.evaluations, 12) << "what was spent on the other device stays spent";
}

TEST_F(ServiceResume, AStartThatLostItsLeaseKeepsNothing) {
  EXPECT_FALSE(start(4).has_value());
  Job job = stored();
  Draft draft = store_.find_draft(EpisodeId("e" + id_.str().substr(1))).value().value();
  ++job.epoch;
  ASSERT_TRUE(store_.update_job(job).has_value());

  const auto late = store_.save_draft(draft);

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::conflict);
}

TEST(EpisodeDraft, ADraftThatDoesNotFitTogetherIsNotTakenUp) {
  ScriptedKernelLab lab(landscape);
  Draft draft;
  EXPECT_THAT(obstacle_to_resume(draft, planted_job(), lab), HasSubstr("do not fit together"));
  Step given;
  given.candidate.kernel = planted_task().kernel;
  given.verdict.outcome = Outcome::same;
  draft.episode.provider = Provider::gpu;
  draft.episode.steps = {given};
  EXPECT_EQ(obstacle_to_resume(draft, planted_job(), lab), "");
  draft.turns.push_back({TurnKind::chosen, TurnEnd::judged, 0, "a", "", 1, {}});
  EXPECT_THAT(obstacle_to_resume(draft, planted_job(), lab), HasSubstr("do not fit together"));
  draft.turns.clear();
  draft.episode.provider = Provider::sim;
  EXPECT_THAT(obstacle_to_resume(draft, planted_job(), lab), HasSubstr("of the provider sim"));
}

}  // namespace
}  // namespace warpmind::agents
