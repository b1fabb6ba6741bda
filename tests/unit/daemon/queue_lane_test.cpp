// Work in the background on the lane: it makes way, keeps quiet hours and budgets, is tried again.

#include "base/file.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"
#include "tests/transcript/scripted_engine.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kPatience{60};

/// Between two steps it asks the test; the rest as a runner does it.
class SteppingRunner final : public JobRunner {
 public:
  SteppingRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}

  Result<void> run_job(Job job, const JobControl& control) override {
    {
      const std::scoped_lock lock(mutex_);
      granted_ = job.request.budget;
    }
    log("start " + job.request.task.name);
    if (job.request.task.name == "fails") return fail(Errc::external_failure, "no luck");
    if (job.request.terms.background) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, control.stop, [this] { return go_; });
      }
      if (control.between_steps) control.between_steps();
    }
    if (job.request.task.name == "held") {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, control.stop, [this] { return !holds_; });
    }
    if (control.stop.stop_requested()) return fail(Errc::cancelled, "parked");
    job.state = JobState::done;
    job.spent.gpu_seconds += 7;
    WARPMIND_TRY(const auto receipt,
                 store_.commit(tests::scripted_episode(job, clock_.wall()), job));
    log("end " + job.request.task.name);
    return {};
  }
  void go() {
    const std::scoped_lock lock(mutex_);
    go_ = true;
    changed_.notify_all();
  }
  void let_go_of_held() {
    const std::scoped_lock lock(mutex_);
    holds_ = false;
    changed_.notify_all();
  }
  bool await(std::size_t lines) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return log_.size() >= lines; });
  }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  Budget granted() {
    const std::scoped_lock lock(mutex_);
    return granted_;
  }

 private:
  void log(std::string line) {
    const std::scoped_lock lock(mutex_);
    log_.push_back(std::move(line));
    changed_.notify_all();
  }
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> log_;
  Budget granted_;
  bool go_ = false;
  bool holds_ = true;
};

class QueueLaneTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = std::move(*knowledge_base::KnowledgeBase::open(
        {.directory = home_.path() / "base", .reserve_bytes = 0, .clock = clock_}));
    start();
  }
  void TearDown() override { scheduler_.reset(); }
  void start() {
    scheduler_.reset();
    runner_ = std::make_unique<SteppingRunner>(base_->store(), clock_);
    scheduler_ = std::make_unique<Scheduler>(
        Scheduler::Parts{base_->store(), base_->queue(), *runner_, clock_, lanes_},
        [this](const auto&) {
          const std::scoped_lock lock(mutex_);
          changed_.notify_all();
        },
        worth_);
    ASSERT_TRUE(scheduler_->start());
  }
  JobId submit(const std::string& name, bool background, std::vector<JobId> after = {},
               Provider provider = Provider::gpu) {
    JobRequest request;
    request.provider = provider;
    request.task.name = name;
    request.task.id = TaskId("t-0123456789abcdef");
    request.task.kernel.source = "__global__ void k() {}";
    request.terms.background = background;
    request.terms.user = "ada";
    request.terms.after = std::move(after);
    const auto submitted = scheduler_->submit(request);
    EXPECT_TRUE(submitted);
    return submitted ? submitted->id : JobId();
  }
  bool await(const JobId& id, JobState state) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience,
                             [&] { return scheduler_->status(id)->state == state; });
  }
  Job stored(const JobId& id) { return *base_->store().find_job(id).value(); }

  SystemClock clock_;
  std::vector<LaneSpec> lanes_ = {LaneSpec{}};
  WorthSource worth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "lane")).value();
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  std::unique_ptr<SteppingRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(QueueLaneTest, AJobThatSomebodyWaitsForHasTheLaneAtTheNextStep) {
  const JobId night = submit("night", true);
  ASSERT_TRUE(runner_->await(1));
  const JobId awaited = submit("awaited", false);
  runner_->go();

  ASSERT_TRUE(await(night, JobState::done));

  EXPECT_EQ(runner_->lines(),
            (std::vector<std::string>{"start night", "start awaited", "end awaited", "end night"}));
  EXPECT_EQ(stored(awaited).state, JobState::done);
  EXPECT_EQ(stored(night).attempts, 1) << "it went on where it was";
  EXPECT_EQ(stored(night).epoch, 1);
}

TEST_F(QueueLaneTest, AJobThatSomebodyWaitsForHasTheDeviceAtTheNextStep) {
  lanes_ = {{"gpu 0", "GPU-a", "", {true, false, false}},
            {"gpu 0 (2)", "GPU-a", "", {true, false, false}, 1},
            {"sim", "", "", {false, true, true}}};
  start();
  const JobId night = submit("night", true);
  ASSERT_TRUE(runner_->await(1));
  const JobId awaited = submit("held", false);
  ASSERT_TRUE(runner_->await(2)) << "the device's other lane takes it";
  runner_->go();  // the night's job comes to its next step
  // Meanwhile other jobs come and go elsewhere, each of which takes longer than what must not be.
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(await(submit("elsewhere", true, {}, Provider::sim), JobState::done));
  }
  EXPECT_EQ(scheduler_->status(night)->state, JobState::running);
  const JobId later = submit("later", true);

  runner_->let_go_of_held();

  ASSERT_TRUE(await(night, JobState::done));
  ASSERT_TRUE(await(later, JobState::done));
  EXPECT_EQ(stored(awaited).state, JobState::done);
  const auto lines = runner_->lines();
  const auto at = [&lines](const char* line) {
    return std::find(lines.begin(), lines.end(), line);
  };
  EXPECT_LT(at("end held"), at("end night"));
  EXPECT_LT(at("end held"), at("start later"));
}

TEST_F(QueueLaneTest, AFailedStartIsTriedAgainAndItsHistoryIsKept) {
  const JobId id = submit("fails", true);
  ASSERT_TRUE(runner_->await(1));
  ASSERT_TRUE(await(id, JobState::queued));

  const auto why = scheduler_->why(id);
  ASSERT_TRUE(why);
  EXPECT_NE(why->text.find("tried again soon"), std::string::npos) << why->text;
  const Job job = stored(id);
  ASSERT_EQ(job.history.size(), 1U);
  EXPECT_EQ(job.history[0].outcome, "no luck");
  EXPECT_EQ(job.history[0].holder, "lane 0");
}

TEST_F(QueueLaneTest, PausedJobsStayPausedOverARestart) {
  const JobId running = submit("night", true);
  ASSERT_TRUE(runner_->await(1));
  const JobId id = submit("later", true);
  EXPECT_EQ(scheduler_->hold(running, true).error().code, Errc::conflict) << "it runs";
  ASSERT_TRUE(scheduler_->hold(id, true));
  runner_->go();
  ASSERT_TRUE(await(running, JobState::done));

  start();

  EXPECT_TRUE(stored(id).held);
  EXPECT_NE(scheduler_->why(id)->text.find("paused"), std::string::npos);
  ASSERT_TRUE(scheduler_->hold(id, false));
  runner_->go();
  EXPECT_TRUE(await(id, JobState::done));
}

TEST_F(QueueLaneTest, TheNightsBudgetIsReservedChargedAndKeptOverARestart) {
  knowledge_base::QueueRules rules;
  rules.night.gpu_seconds = 10;
  ASSERT_TRUE(scheduler_->set_rules(rules));
  const JobId first = submit("first", true);
  ASSERT_TRUE(runner_->await(1));
  EXPECT_EQ(runner_->granted().gpu_seconds, 10);
  EXPECT_EQ(scheduler_->night("ada").spent.gpu_seconds, 10) << "reserved";
  runner_->go();
  ASSERT_TRUE(await(first, JobState::done));
  EXPECT_EQ(scheduler_->night("ada").spent.gpu_seconds, 7) << "spent";

  start();

  EXPECT_EQ(scheduler_->night("ada").rules, rules);
  EXPECT_EQ(scheduler_->night("ada").spent.gpu_seconds, 7);
  const JobId second = submit("second", true);
  ASSERT_TRUE(runner_->await(1));
  EXPECT_EQ(runner_->granted().gpu_seconds, 3) << "what is left";
  runner_->go();
  ASSERT_TRUE(await(second, JobState::done));
  const JobId third = submit("third", true);
  EXPECT_NE(scheduler_->why(third)->text.find("10 s of device time"), std::string::npos)
      << scheduler_->why(third)->text;
}

TEST_F(QueueLaneTest, AJobComesAfterOthersAlsoWhenTheyHaveEnded) {
  const JobId first = submit("first", true);
  const JobId second = submit("second", true, {first});
  runner_->go();
  ASSERT_TRUE(await(second, JobState::done));
  const JobId third = submit("third", true, {first, second});
  ASSERT_TRUE(await(third, JobState::done));
  EXPECT_EQ(runner_->lines()[0], "start first");

  const JobId blocker = submit("x", true);
  ASSERT_TRUE(await(blocker, JobState::done));
  JobRequest request;
  request.terms.after = {JobId("j-0000000099")};
  EXPECT_EQ(scheduler_->submit(request).error().code, Errc::not_found);
}

TEST_F(QueueLaneTest, WhatComesAfterACancelledJobFailsWithASentence) {
  const JobId running = submit("night", true);
  ASSERT_TRUE(runner_->await(1));
  const JobId first = submit("first", true);
  const JobId second = submit("second", true, {first});
  ASSERT_EQ(scheduler_->cancel(first), JobState::cancelled);

  scheduler_->look_at_the_clock();

  EXPECT_EQ(stored(second).state, JobState::failed);
  EXPECT_EQ(stored(second).error, first.str() + ", which it comes after, is cancelled");
  ASSERT_TRUE(scheduler_->retry(first));
  ASSERT_TRUE(scheduler_->retry(second));
  runner_->go();
  EXPECT_TRUE(await(second, JobState::done));
  EXPECT_EQ(scheduler_->retry(running).error().code, Errc::conflict);
}

TEST_F(QueueLaneTest, ARestartKeepsTheOrderWhateverTheBaseSaysNow) {
  std::map<std::string, double> worth{{"first", 3}, {"low", 1}, {"high", 2}};
  worth_ = [&worth](const JobRequest& request) { return JobWorth{worth[request.task.name], "so"}; };
  start();
  submit("first", true);
  ASSERT_TRUE(runner_->await(1));
  const JobId low = submit("low", true);
  submit("high", true);
  worth = {{"first", 0}, {"low", 9}, {"high", 0}};

  start();
  runner_->go();

  ASSERT_TRUE(await(low, JobState::done));
  EXPECT_THAT(runner_->lines(), testing::ElementsAre("start first", "end first", "start high",
                                                     "end high", "start low", "end low"));
}

TEST_F(QueueLaneTest, MovedJobsGoByTheirNewPriority) {
  const JobId running = submit("night", true);
  ASSERT_TRUE(runner_->await(1));
  submit("a", true);
  const JobId b = submit("b", true);
  ASSERT_TRUE(scheduler_->move(b, 10));
  const auto lines = scheduler_->list();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(JobId(lines[0].job_id), running);
  EXPECT_EQ(JobId(lines[1].job_id), b);
  EXPECT_EQ(lines[1].why, "it is next");
  EXPECT_EQ(stored(b).request.terms.priority, 10);
}

}  // namespace
}  // namespace warpmind::daemon
