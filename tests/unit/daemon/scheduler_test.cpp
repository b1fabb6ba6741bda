#include "daemon/scheduler/scheduler.h"

#include "base/file.h"
#include "knowledge_base/knowledge_base.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/transcript/scripted_engine.h"

#include <condition_variable>
#include <future>
#include <mutex>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kPatience{60};

/// Ends each job as the test says, when the test says.
class SteeredRunner final : public JobRunner {
 public:
  enum class End { done, refuse, vanish };

  SteeredRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}

  Result<void> run_job(Job job, const JobControl& control) override {
    control.progress({1, 2, 1.5, "at work"});
    {
      std::unique_lock lock(mutex_);
      started_.push_back(job.id);
      attempts_.push_back(job.attempts);
      changed_.notify_all();
      changed_.wait(lock, control.stop, [this] { return allowed_ > 0; });
      if (allowed_ > 0) --allowed_;
    }
    if (control.stop.stop_requested()) {
      if (control.parking()) return fail(Errc::cancelled, "parked");
      job.state = JobState::cancelled;
      return store_.update_job(job);
    }
    if (end_ == End::refuse) return fail(Errc::external_failure, "the disk said no");
    if (end_ == End::vanish) return {};
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt,
                 store_.commit(tests::scripted_episode(job, clock_.wall()), job));
    return {};
  }

  void let_one_end(End end = End::done) {
    const std::scoped_lock lock(mutex_);
    end_ = end;
    ++allowed_;
    changed_.notify_all();
  }
  /// Waits until `count` jobs have been started; false when that does not happen.
  bool await_started(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return started_.size() >= count; });
  }
  std::vector<JobId> started() {
    const std::scoped_lock lock(mutex_);
    return started_;
  }
  std::vector<std::int64_t> attempts() {
    const std::scoped_lock lock(mutex_);
    return attempts_;
  }

 private:
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<JobId> started_;
  std::vector<std::int64_t> attempts_;
  int allowed_ = 0;
  End end_ = End::done;
};

/// Keeps events and waits for states.
class EventLog {
 public:
  void add(const JobEvent& event) {
    const std::scoped_lock lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }
  bool await(const JobId& id, JobState state) {
    return await_one([&](const protocol::ProgressParams& progress) {
      return progress.job_id == id.str() && progress.state == state;
    });
  }
  bool await_line(const JobId& id, const std::string& part) {
    return await_one([&](const protocol::ProgressParams& progress) {
      return progress.job_id == id.str() && progress.line.find(part) != std::string::npos;
    });
  }

 private:
  bool await_one(const std::function<bool(const protocol::ProgressParams&)>& is_wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] {
      return std::any_of(events_.begin(), events_.end(),
                         [&](const JobEvent& event) { return is_wanted(event.progress); });
    });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<JobEvent> events_;
};

class SchedulerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto base = knowledge_base::KnowledgeBase::open(
        {.directory = home_.path() / "base", .reserve_bytes = 0, .clock = clock_});
    ASSERT_TRUE(base) << base.error().message;
    base_ = std::move(*base);
    store_ = &base_->store();
    restart();
  }
  void TearDown() override {
    if (scheduler_) scheduler_->stop(Scheduler::Stop::park, {});
    scheduler_.reset();
  }

  /// A new scheduler and runner on the same base, as after a restart of the daemon.
  void restart() {
    scheduler_.reset();
    runner_ = std::make_unique<SteeredRunner>(*store_, clock_);
    events_ = std::make_unique<EventLog>();
    scheduler_ = std::make_unique<Scheduler>(
        Scheduler::Parts{
            *store_, base_->queue(), *runner_, clock_, {LaneSpec{}}, nullptr, most_waiting_},
        [log = events_.get()](const JobEvent& event) { log->add(event); });
    const auto started = scheduler_->start();
    ASSERT_TRUE(started) << started.error().message;
  }
  JobId submit(const std::string& name = "task") {
    JobRequest request;
    request.task.name = name;
    request.task.id = TaskId("t-0123456789abcdef");
    request.task.kernel.source = "__global__ void k() {}";
    const auto submitted = scheduler_->submit(request);
    EXPECT_TRUE(submitted);
    return submitted ? submitted->id : JobId();
  }
  JobState stored_state(const JobId& id) {
    const auto job = store_->find_job(id);
    EXPECT_TRUE(job && *job);
    return (*job)->state;
  }
  void park() {
    std::promise<void> idle;
    scheduler_->stop(Scheduler::Stop::park, [&idle] { idle.set_value(); });
    ASSERT_EQ(idle.get_future().wait_for(kPatience), std::future_status::ready);
  }

  SystemClock clock_;
  std::size_t most_waiting_ = kMostQueued;
  fakes::MemoryKnowledgeStore memory_;  // for tests of a disk that is full
  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "scheduler"))
          .value();
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  knowledge_base::KnowledgeStore* store_ = nullptr;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<SteeredRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, RunsJobsOneAtATimeInTheOrderOfAcceptance) {
  const std::vector<JobId> jobs{submit("a"), submit("b"), submit("c")};

  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(runner_->await_started(i + 1));
    EXPECT_EQ(scheduler_->summary().running, 1);
    EXPECT_EQ(scheduler_->summary().queued, static_cast<std::int64_t>(jobs.size() - 1 - i));
    runner_->let_one_end();
    ASSERT_TRUE(events_->await(jobs[i], JobState::done));
  }

  EXPECT_EQ(runner_->started(), jobs);
  EXPECT_EQ(stored_state(jobs[2]), JobState::done);
}

/// `optimize` is in the report of the night that the page shows, and costs nothing of its budget.
TEST_F(SchedulerTest, AJobThatSomebodyWaitsForBelongsToItsNight) {
  const JobId id = submit();
  ASSERT_TRUE(runner_->await_started(1));
  const std::string night = scheduler_->night("ada").night;
  runner_->let_one_end();
  ASSERT_TRUE(events_->await(id, JobState::done));

  const auto job = store_->find_job(id);
  ASSERT_TRUE(job && *job);
  EXPECT_EQ((*job)->request.terms.night, night);
  EXPECT_EQ(base_->queue().nights(2).value(), std::vector<std::string>{night});
  ASSERT_EQ(base_->queue().jobs_of(night).value().size(), 1U);
  park();
  restart();
  EXPECT_EQ(scheduler_->night("").spent, Spent{}) << "nothing is charged, after a restart neither";
}

TEST_F(SchedulerTest, AcceptedJobIsInTheBaseBeforeSubmitReturns) {
  const JobId running = submit();
  const JobId waiting = submit();

  EXPECT_NE(stored_state(running), JobState::failed);
  EXPECT_EQ(stored_state(waiting), JobState::queued);
}

TEST_F(SchedulerTest, StatusFollowsTheRunner) {
  const JobId id = submit("softmax");
  ASSERT_TRUE(runner_->await_started(1));

  const auto status = scheduler_->status(id);

  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, JobState::running);
  EXPECT_EQ(status->task, "softmax");
  EXPECT_EQ(status->step, 1);
  EXPECT_EQ(status->best_ratio, 1.5);
  EXPECT_EQ(status->activity, "at work");
  EXPECT_EQ(scheduler_->summary().jobs[0], id.str() + " running softmax step 1 of 2");
}

TEST_F(SchedulerTest, CancelOfAWaitingJobIsImmediate) {
  submit();
  const JobId waiting = submit();
  ASSERT_TRUE(runner_->await_started(1));

  EXPECT_EQ(scheduler_->cancel(waiting), JobState::cancelled);

  EXPECT_EQ(stored_state(waiting), JobState::cancelled);
  EXPECT_EQ(scheduler_->cancel(waiting).error().code, Errc::conflict);
}

TEST_F(SchedulerTest, CancelOfTheRunningJobStopsItAndTheNextOneStarts) {
  const JobId first = submit();
  const JobId second = submit();
  ASSERT_TRUE(runner_->await_started(1));

  EXPECT_EQ(scheduler_->cancel(first), JobState::running);

  EXPECT_TRUE(events_->await(first, JobState::cancelled));
  EXPECT_EQ(stored_state(first), JobState::cancelled);
  EXPECT_TRUE(runner_->await_started(2));
  EXPECT_EQ(runner_->started()[1], second);
}

TEST_F(SchedulerTest, UnknownJobIsNotFound) {
  EXPECT_EQ(scheduler_->cancel(JobId("j-0000000099")).error().code, Errc::not_found);
  EXPECT_EQ(scheduler_->status(JobId("nonsense")).error().code, Errc::not_found);
  EXPECT_FALSE(scheduler_->latest(JobId("")));
}

TEST_F(SchedulerTest, ParkedJobIsRunAgainFirstAndTheStartDoesNotCount) {
  const JobId first = submit();
  const JobId second = submit();
  ASSERT_TRUE(runner_->await_started(1));

  park();
  EXPECT_EQ(stored_state(first), JobState::queued);
  EXPECT_EQ(runner_->started().size(), 1U);
  restart();
  ASSERT_TRUE(runner_->await_started(1));

  EXPECT_EQ(runner_->started(), std::vector<JobId>{first});
  EXPECT_EQ(runner_->attempts(), std::vector<std::int64_t>{1});
  EXPECT_EQ(scheduler_->summary().queued, 1);
  EXPECT_EQ(stored_state(second), JobState::queued);
}

TEST_F(SchedulerTest, FinishLetsTheRunningJobEndAndStartsNoOther) {
  const JobId first = submit();
  const JobId second = submit();
  ASSERT_TRUE(runner_->await_started(1));
  std::promise<void> idle;

  scheduler_->stop(Scheduler::Stop::finish, [&idle] { idle.set_value(); });
  runner_->let_one_end();

  ASSERT_EQ(idle.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(stored_state(first), JobState::done);
  EXPECT_EQ(stored_state(second), JobState::queued);
}

TEST_F(SchedulerTest, NothingIsAcceptedWhileShuttingDown) {
  park();

  const auto refused = scheduler_->submit({});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
}

TEST_F(SchedulerTest, RunnerThatFailsFailsTheJobAndTheLaneGoesOn) {
  const JobId first = submit();
  const JobId second = submit();
  runner_->let_one_end(SteeredRunner::End::refuse);

  ASSERT_TRUE(events_->await(first, JobState::failed));
  EXPECT_EQ(scheduler_->status(first)->error, "the disk said no");
  EXPECT_EQ(stored_state(first), JobState::failed);
  ASSERT_TRUE(runner_->await_started(2));
  EXPECT_EQ(runner_->started()[1], second);
}

TEST_F(SchedulerTest, RunnerThatForgetsTheResultFailsTheJob) {
  const JobId id = submit();
  runner_->let_one_end(SteeredRunner::End::vanish);

  ASSERT_TRUE(events_->await(id, JobState::failed));

  EXPECT_EQ(scheduler_->status(id)->error, "the job ended without a result");
}

TEST_F(SchedulerTest, FailureThatTheDiskRefusesIsToldOnceItIsStored) {
  store_ = &memory_;
  restart();
  const JobId id = submit();
  ASSERT_TRUE(runner_->await_started(1));
  memory_.degrade("the disk is full");

  runner_->let_one_end(SteeredRunner::End::refuse);

  ASSERT_TRUE(events_->await_line(id, "cannot be stored yet: the disk is full"));
  scheduler_->look_at_the_clock();
  EXPECT_EQ(scheduler_->status(id)->state, JobState::running);
  EXPECT_EQ(stored_state(id), JobState::running);

  memory_.degrade("");
  scheduler_->look_at_the_clock();
  EXPECT_EQ(scheduler_->status(id)->state, JobState::failed);
  EXPECT_EQ(scheduler_->status(id)->error, "the disk said no");
  EXPECT_EQ(stored_state(id), JobState::failed);
  restart();
  const JobId next = submit();
  ASSERT_TRUE(runner_->await_started(1));
  EXPECT_EQ(runner_->started(), std::vector<JobId>{next});
}

TEST_F(SchedulerTest, JobCancelledWhileItsEndWaitsForSpaceIsCancelled) {
  store_ = &memory_;
  restart();
  const JobId id = submit();
  ASSERT_TRUE(runner_->await_started(1));
  memory_.degrade("the disk is full");
  runner_->let_one_end(SteeredRunner::End::refuse);
  ASSERT_TRUE(events_->await_line(id, "cannot be stored yet"));
  memory_.degrade("");

  Job job = *memory_.find_job(id).value();
  job.state = JobState::cancelled;
  ASSERT_TRUE(memory_.update_job(job));
  scheduler_->look_at_the_clock();

  EXPECT_EQ(scheduler_->status(id)->state, JobState::cancelled);
  EXPECT_EQ(stored_state(id), JobState::cancelled);
}

TEST_F(SchedulerTest, AFullQueueSaysHowManyWait) {
  EXPECT_EQ(kMostQueued, 10'000U);  // docs/protocol.md
  most_waiting_ = 2;
  restart();
  submit("runs");
  ASSERT_TRUE(runner_->await_started(1));
  submit("waits");
  submit("waits, too");

  const auto refused = scheduler_->submit({});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_EQ(refused.error().message, "2 jobs wait already; submit again when some are done");
}

TEST_F(SchedulerTest, JobThatRanWhenTheDaemonDiedIsResumedUntilTheThirdTime) {
  park();  // so that this test alone moves the job
  Job job = store_->add_job({}, clock_.wall()).value();
  for (std::int64_t died = 1; died <= kMostAttempts; ++died) {
    job = *store_->find_job(job.id).value();  // with its newest lease
    job.state = JobState::running;
    job.attempts = died;
    ASSERT_TRUE(store_->update_job(job));

    restart();

    if (died < kMostAttempts) {
      ASSERT_TRUE(runner_->await_started(1));
      EXPECT_EQ(runner_->attempts()[0], died + 1);
      park();
    }
  }

  EXPECT_TRUE(runner_->started().empty());
  EXPECT_EQ(stored_state(job.id), JobState::failed);
  EXPECT_NE(scheduler_->status(job.id)->error.find("3 times"), std::string::npos);
}

TEST_F(SchedulerTest, FinishedJobsOfAnEarlierRunAreStillKnown) {
  const JobId id = submit("old");
  runner_->let_one_end();
  ASSERT_TRUE(events_->await(id, JobState::done));

  restart();

  EXPECT_EQ(scheduler_->summary().jobs, std::vector<std::string>{id.str() + " done old"});
  EXPECT_EQ(scheduler_->latest(id)->progress.state, JobState::done);
}

}  // namespace
}  // namespace warpmind::daemon
