// T-QUEUE: many jobs on a real base under workers that die, come back late and say things twice,
// and under restarts of the daemon: each job has exactly one result. QUEUE_STORM_JOBS: how many.

#include "base/file.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"
#include "tests/transcript/scripted_engine.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

/// Real time, and what was skipped.
class SkippingClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override {
    return {real_.wall().value + skipped_ms_.load()};
  }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override {
    return real_.monotonic() + std::chrono::milliseconds(skipped_ms_.load());
  }
  void skip(std::chrono::milliseconds time) { skipped_ms_ += time.count(); }

 private:
  SystemClock real_;
  std::atomic<std::int64_t> skipped_ms_ = 0;
};

/// Workers that die in two of ten starts, before or after their result was taken, and bring results
/// twice or under a lease that they lost.
class StormRunner final : public JobRunner {
 public:
  StormRunner(knowledge_base::KnowledgeStore& store, const Clock& clock, std::uint64_t seed)
      : store_(store), clock_(clock), random_(seed) {}

  Result<void> run_job(Job job, const JobControl& control) override {
    control.progress({1, 2, 1, "at work"});
    const bool is_simulated = job.request.provider == Provider::sim;
    EXPECT_EQ(is_simulated, control.lane == 1) << "each job on a lane that can run it";
    const std::scoped_lock lock(mutex_);  // fate is one, whatever the lane
    bring_late_results();
    const auto fate = random_() % 20;
    if (job.request.task.name == "poison" || fate < 2) return died(std::move(job));
    job.state = JobState::done;
    job.spent.evaluations += 1;
    const auto episode = tests::scripted_episode(job, clock_.wall());
    WARPMIND_TRY(const auto receipt, store_.commit(episode, job));
    ++results_;
    if (fate < 5) refuse(job);  // says it twice
    if (fate < 4) return fail(Errc::external_failure, "the worker died behind its result");
    return {};
  }

  [[nodiscard]] int results() const { return results_; }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  Result<void> died(Job job) {
    if (random_() % 2 == 0 && job.request.task.name != "poison") late_.push_back(std::move(job));
    return fail(Errc::external_failure, "the worker died");
  }
  void bring_late_results() {
    if (late_.empty() || random_() % 3 != 0) return;
    bring(late_.back());
    late_.pop_back();
  }
  /// Refused, unless it comes before the failure of its start was recorded: then it counts.
  void bring(Job job) {
    job.state = JobState::done;
    job.spent.evaluations += 1;
    const auto receipt = store_.commit(tests::scripted_episode(job, clock_.wall()), job);
    if (receipt) {
      ++results_;
      return;
    }
    EXPECT_EQ(receipt.error().code, Errc::conflict) << receipt.error().message;
    ++refused_;
  }
  void refuse(Job job) {
    job.state = JobState::done;
    const auto again = store_.commit(tests::scripted_episode(job, clock_.wall()), job);
    ASSERT_FALSE(again) << "a repeated result of " << job.id.str() << " was taken";
    EXPECT_EQ(again.error().code, Errc::conflict) << again.error().message;
    ++refused_;
  }

  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<Job> late_;
  int results_ = 0;
  int refused_ = 0;
};

class QueueStorm : public testing::Test {
 protected:
  void open() {
    auto base = knowledge_base::KnowledgeBase::open(
        {.directory = home_.path() / "base", .reserve_bytes = 0, .clock = clock_});
    ASSERT_TRUE(base) << base.error().message;
    base_ = std::move(*base);
    runner_ = std::make_unique<StormRunner>(base_->store(), clock_, random_());
    scheduler_ = std::make_unique<Scheduler>(
        Scheduler::Parts{
            base_->store(),
            base_->queue(),
            *runner_,
            clock_,
            {{"gpu 0", "GPU-0", "", {true, false, false}}, {"sim", "", "", {false, true, true}}}},
        [](const JobEvent&) {});
    ASSERT_TRUE(scheduler_->start());
  }
  void close() {
    scheduler_.reset();
    results_ += runner_->results();
    refused_ += runner_->refused();
    runner_.reset();
    base_.reset();
  }
  JobId submit(const std::string& name) {
    JobRequest request;
    request.task.name = name;
    request.task.id = TaskId("t-0123456789abcdef");
    request.task.kernel.source = "__global__ void k() {}";
    request.provider = random_() % 3 == 0 ? Provider::sim : Provider::gpu;
    request.terms.background = true;
    request.terms.user = random_() % 2 == 0 ? "ada" : "bob";
    request.terms.priority = static_cast<std::int64_t>(random_() % 3);
    const auto submitted = scheduler_->submit(request);
    EXPECT_TRUE(submitted);
    return submitted->id;
  }
  /// Until nothing waits or runs: time flies, and the daemon starts again now and then.
  void weather() {
    for (int turn = 1; scheduler_->summary().queued + scheduler_->summary().running > 0; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      clock_.skip(std::chrono::seconds(10));
      scheduler_->look_at_the_clock();
      if (turn % restart_every_ != 0) continue;
      ++restarts_;
      close();
      open();
    }
  }

  SkippingClock clock_;
  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "storm")).value();
  std::mt19937_64 random_{20261124};
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  std::unique_ptr<StormRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
  int results_ = 0;
  int refused_ = 0;
  int restarts_ = 0;
  int restart_every_ = 200;  ///< turns
};

TEST_F(QueueStorm, EveryJobHasExactlyOneResult) {
  const char* const wanted = std::getenv("QUEUE_STORM_JOBS");  // NOLINT(concurrency-mt-unsafe)
  const int jobs = wanted == nullptr ? 150 : std::atoi(wanted);
  restart_every_ = jobs > 200 ? 600 : 200;  // 3 s, 1 s
  open();
  const JobId poison = submit("poison");
  for (int i = 1; i < jobs; ++i) submit("task");
  weather();
  EXPECT_EQ(base_->store().find_job(poison).value()->history.size(), 3U);
  // Who had bad luck three times is tried again, as in the morning; the poison stays what it is.
  int given_up = 0;
  for (bool again = true; again;) {
    again = false;
    const auto ended = base_->store().recent_jobs(2LL * jobs).value();
    for (const auto& job : ended) {
      if (job.state == JobState::done || job.id == poison) continue;
      EXPECT_TRUE(job.dead) << job.id.str();
      EXPECT_EQ(job.attempts, kMostAttempts) << job.id.str();
      EXPECT_EQ(job.history.back().outcome, "the worker died") << job.id.str();
      ASSERT_TRUE(scheduler_->retry(job.id)) << job.id.str();
      ++given_up;
      again = true;
    }
    weather();
  }
  const auto all = base_->store().recent_jobs(2LL * jobs).value();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(jobs));
  for (const auto& job : all) {
    EXPECT_EQ(job.episode.has_value(), job.id != poison) << job.id.str();
    EXPECT_EQ(job.spent.evaluations, job.id == poison ? 0 : 1) << job.id.str() << ": counted once";
  }
  EXPECT_EQ(base_->store().statistics().value().records.at("episodes"), jobs - 1);
  const auto night = scheduler_->night("ada");
  Spent of_night;
  const auto of_base = base_->queue().jobs_of(night.night).value();
  for (const auto& job : of_base) {
    of_night.evaluations += job.spent.evaluations;
  }
  EXPECT_EQ(night.spent.evaluations, of_night.evaluations) << "the ledger agrees with the base";
  close();
  EXPECT_EQ(results_, jobs - 1);
  std::printf(
      "%d jobs, %d late or repeated results refused, %d given up and tried again, %d "
      "restarts\n",
      jobs, refused_, given_up, restarts_);
}

}  // namespace
}  // namespace warpmind::daemon
