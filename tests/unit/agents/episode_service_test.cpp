#include "agents/episode_service.h"

#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/unit/agents/planted_task.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using fakes::ScriptedKernelLab;
using testing::HasSubstr;

/// Small blocks are fast, unrolling helps a little, fast math is wrong.
std::optional<double> landscape(const Kernel& kernel) {
  double time = 100;
  if (kernel.plan.launches[0].block[0] == "32") time /= 4;
  if (kernel.plan.launches[0].block[0] == "64") time /= 3;
  if (kernel.source.find("#pragma unroll 8") != std::string::npos) time /= 1.2;
  for (const auto& flag : kernel.build_flags) {
    if (flag == "--use_fast_math") return std::nullopt;
  }
  return time;
}

class EpisodeServiceTest : public testing::Test {
 protected:
  EpisodeServiceTest() : devices_(config::DeviceTable::load().value()) {
    control_.progress = [this](const JobProgress& progress) {
      lines_.push_back(progress.line);
      last_ = progress;
    };
    control_.stop = stop_.get_token();
  }
  Job accepted(std::int64_t evaluations = 24) {
    JobRequest request = planted_job(evaluations).request;
    Job job = store_.add_job(request, {1}).value();
    job.state = JobState::running;
    EXPECT_TRUE(store_.update_job(job).has_value());
    return job;
  }
  Result<void> run(const Job& job) {
    EpisodeService service(
        store_, devices_,
        [this](const JobRequest&) { return Result<std::shared_ptr<profilers::KernelLab>>(lab_); },
        clock_);
    return service.run_job(job, control_);
  }
  Episode episode_of(const Job& job) { return store_.find_job(job.id).value()->episode.value(); }
  [[nodiscard]] std::string all_lines() const {
    std::string text;
    for (const auto& line : lines_) text += line + "\n";
    return text;
  }

  fakes::MemoryKnowledgeStore store_;
  config::DeviceTable devices_;
  SystemClock clock_;
  std::shared_ptr<ScriptedKernelLab> lab_ = std::make_shared<ScriptedKernelLab>(landscape);
  std::stop_source stop_;
  RunControl control_;
  std::vector<std::string> lines_;
  JobProgress last_;
};

TEST_F(EpisodeServiceTest, FindsThePlantedOptimumAndWritesItBackOnce) {
  const Job job = accepted();

  ASSERT_TRUE(run(job).has_value());

  const auto episode = episode_of(job);
  const auto& best = episode.steps[static_cast<std::size_t>(episode.best_step)];
  EXPECT_EQ(episode.outcome, Outcome::improved);
  EXPECT_EQ(best.candidate.kernel.plan.launches[0].block[0], "32");
  EXPECT_THAT(best.candidate.kernel.source, HasSubstr("#pragma unroll 8"));
  ASSERT_TRUE(episode.best_against_baseline.has_value());
  EXPECT_NEAR(episode.best_against_baseline->ratio, 4.8, 1e-9);
  EXPECT_EQ(store_.find_job(job.id).value()->state, JobState::done);
  EXPECT_THAT(episode.summary, HasSubstr("4.80x faster"));
}

TEST_F(EpisodeServiceTest, NothingIsJudgedTwice) {
  ASSERT_TRUE(run(accepted(200)).has_value());

  const std::set<KernelId> distinct(lab_->judged.begin(), lab_->judged.end());
  EXPECT_EQ(distinct.size(), lab_->judged.size());
}

TEST_F(EpisodeServiceTest, TheSecondEpisodeStartsFromWhatTheFirstLearned) {
  ASSERT_TRUE(run(accepted()).has_value());
  lines_.clear();
  const Job second = accepted(1);

  ASSERT_TRUE(run(second).has_value());

  const auto episode = episode_of(second);
  ASSERT_EQ(episode.steps.size(), 2U);
  EXPECT_EQ(episode.steps[1].candidate.proposer, "memory");
  EXPECT_TRUE(episode.steps[1].accepted);
  EXPECT_NEAR(episode.best_against_baseline->ratio, 4.8, 1e-9);
  EXPECT_THAT(all_lines(), HasSubstr("1 earlier episode of this task"));
  EXPECT_THAT(episode.summary, HasSubstr("started from the kernel that memory held"));
}

TEST_F(EpisodeServiceTest, BudgetsAreKept) {
  const Job job = accepted(3);

  ASSERT_TRUE(run(job).has_value());

  EXPECT_EQ(episode_of(job).steps.size(), 4U);
  EXPECT_EQ(lab_->judged.size(), 4U);
}

TEST_F(EpisodeServiceTest, ABadBaselineEndsTheEpisodeWithItsOutcome) {
  Verdict blocked;
  blocked.outcome = Outcome::blocked;
  blocked.reason = "no CUDA device";
  lab_->plant(planted_task().kernel, blocked);
  const Job job = accepted();

  ASSERT_TRUE(run(job).has_value());

  const auto episode = episode_of(job);
  EXPECT_EQ(episode.outcome, Outcome::blocked);
  EXPECT_EQ(episode.steps.size(), 1U);
  EXPECT_THAT(episode.summary, HasSubstr("no CUDA device"));
}

TEST_F(EpisodeServiceTest, WrongCandidatesAreStepsAndTheSearchGoesOn) {
  const Job job = accepted(200);

  ASSERT_TRUE(run(job).has_value());

  const auto episode = episode_of(job);
  const auto wrong = std::count_if(episode.steps.begin(), episode.steps.end(), [](const Step& s) {
    return s.verdict.outcome == Outcome::wrong;
  });
  EXPECT_GE(wrong, 1);
  EXPECT_EQ(episode.outcome, Outcome::improved);
}

TEST_F(EpisodeServiceTest, ACancelKeepsWhatWasMeasured) {
  control_.progress = [this](const JobProgress& progress) {
    if (progress.step == 2) stop_.request_stop();
  };
  const Job job = accepted();

  ASSERT_TRUE(run(job).has_value());

  const auto found = store_.find_job(job.id).value().value();
  EXPECT_EQ(found.state, JobState::cancelled);
  ASSERT_TRUE(found.episode.has_value());
  EXPECT_EQ(found.episode->steps.size(), 3U);
  EXPECT_THAT(found.episode->summary, HasSubstr("stopped early"));
}

TEST_F(EpisodeServiceTest, ParkingTouchesNothing) {
  control_.parking = [] { return true; };
  stop_.request_stop();
  const Job job = accepted();

  const auto ran = run(job);

  ASSERT_FALSE(ran.has_value());
  EXPECT_EQ(ran.error().code, Errc::cancelled);
  EXPECT_EQ(store_.find_job(job.id).value()->state, JobState::running);
}

TEST_F(EpisodeServiceTest, AMachineThatLacksSomethingIsBlockedNotFailed) {
  const Job job = accepted();
  EpisodeService service(
      store_, devices_,
      [](const JobRequest&) -> Result<std::shared_ptr<profilers::KernelLab>> {
        return fail(Errc::unavailable, "no nvcc; install the CUDA toolkit");
      },
      clock_);

  ASSERT_TRUE(service.run_job(job, control_).has_value());

  EXPECT_EQ(store_.find_job(job.id).value()->state, JobState::done);
  EXPECT_EQ(episode_of(job).outcome, Outcome::blocked);
  EXPECT_THAT(episode_of(job).summary, HasSubstr("no nvcc; install the CUDA toolkit"));
}

TEST_F(EpisodeServiceTest, AProposerThatCannotBeMadeFailsTheJobWithASentence) {
  Job job = accepted();
  job.request.proposer = "oracle";

  ASSERT_TRUE(run(job).has_value());

  const auto found = store_.find_job(job.id).value().value();
  EXPECT_EQ(found.state, JobState::failed);
  EXPECT_THAT(found.error,
              HasSubstr("no proposer named 'oracle'; known: builtin, llm, external, replay"));
}

}  // namespace
}  // namespace warpmind::agents
