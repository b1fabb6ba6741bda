// Jobs that the queue makes by itself: those that recur, and proposals; and lanes beside each
// other.

#include "base/file.h"
#include "daemon/scheduler/recurrence.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"
#include "tests/transcript/scripted_engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMinute = 60'000;  // ms
constexpr std::int64_t kHour = 60 * kMinute;

/// Stands still until it is told to go on.
class SetClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {kStart + passed_.load()}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::time_point(std::chrono::hours(1)) +
           std::chrono::milliseconds(passed_.load());
  }
  void pass(std::int64_t ms) { passed_ += ms; }

 private:
  static constexpr std::int64_t kStart = 1'795'554'000'000;
  std::atomic<std::int64_t> passed_ = 0;
};

/// Each job ends when it is let go; who is at work is known.
class GatedRunner final : public JobRunner {
 public:
  GatedRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}

  Result<void> run_job(Job job, const JobControl& control) override {
    {
      std::unique_lock lock(mutex_);
      at_work_[job.id] = control.lane;
      changed_.notify_all();
      changed_.wait(lock, control.stop, [this] { return open_; });
      at_work_.erase(job.id);
    }
    if (control.stop.stop_requested() && control.parking && control.parking()) {
      return fail(Errc::cancelled, "parked");
    }
    job.state = control.stop.stop_requested() ? JobState::cancelled : JobState::done;
    job.spent.evaluations += 1;
    WARPMIND_TRY(const auto receipt,
                 store_.commit(tests::scripted_episode(job, clock_.wall()), job));
    return {};
  }
  void open(bool is_open) {
    const std::scoped_lock lock(mutex_);
    open_ = is_open;
    changed_.notify_all();
  }
  /// Lanes of the jobs at work, once there are so many.
  std::map<JobId, std::size_t> await(std::size_t jobs) {
    constexpr std::chrono::seconds kLongest{60};
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLongest, [&] { return at_work_.size() >= jobs; });
    return at_work_;
  }

 private:
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<JobId, std::size_t> at_work_;
  bool open_ = true;
};

class QueueSeriesTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = std::move(*knowledge_base::KnowledgeBase::open(
        {.directory = home_.path() / "base", .reserve_bytes = 0, .clock = clock_}));
    start();
  }
  void TearDown() override { scheduler_.reset(); }
  void start() {
    scheduler_.reset();
    runner_ = std::make_unique<GatedRunner>(base_->store(), clock_);
    scheduler_ =
        std::make_unique<Scheduler>(Scheduler::Parts{base_->store(), base_->queue(), *runner_,
                                                     clock_, lanes_, &base_->agenda()},
                                    [this](const JobEvent&) {
                                      const std::scoped_lock lock(mutex_);
                                      changed_.notify_all();
                                    });
    ASSERT_TRUE(scheduler_->start());
  }
  static JobRequest request(Provider provider = Provider::gpu) {
    JobRequest request;
    request.task.name = "task";
    request.task.id = TaskId("t-0123456789abcdef");
    request.task.kernel.source = "__global__ void k() {}";
    request.provider = provider;
    request.terms.background = true;
    request.terms.user = "ada";
    return request;
  }
  bool await(const JobId& id, JobState state) {
    constexpr std::chrono::seconds kLongest{60};
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLongest,
                             [&] { return scheduler_->status(id)->state == state; });
  }
  /// Until no lane has a job: a job is done a moment before its lane is free.
  bool await_free_lanes() {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto is_busy = [](const auto& lane) { return !lane.job.str().empty(); };
    for (;;) {
      const auto lanes = scheduler_->lanes();
      if (std::none_of(lanes.begin(), lanes.end(), is_busy)) return true;
      if (std::chrono::steady_clock::now() > last) return false;
      std::this_thread::yield();
    }
  }
  /// The only job that waits or runs.
  protocol::QueueJob only() {
    const auto lines = scheduler_->list();
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? protocol::QueueJob{} : lines.front();
  }
  Job stored(const JobId& id) { return *base_->store().find_job(id).value(); }
  std::int64_t jobs() { return base_->store().statistics().value().records.at("jobs"); }

  static LaneSpec gpu(const std::string& name, const std::string& device, std::int64_t seat = 0) {
    return {name, device, "H200", {true, false, false}, seat};
  }

  std::vector<LaneSpec> lanes_ = {
      gpu("gpu 0", "GPU-a"), gpu("gpu 1", "GPU-b"), {"sim", "", "", {false, true, true}}};
  SetClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "series")).value();
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  std::unique_ptr<GatedRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST(Recurrence, FormsAreReadAndOthersRefusedWithASentence) {
  EXPECT_EQ(parse_recurrence("90m")->interval.count(), 90);
  EXPECT_EQ(parse_recurrence("24h")->interval.count(), 24 * 60);
  EXPECT_EQ(parse_recurrence("7d")->interval.count(), 7 * 24 * 60);
  EXPECT_EQ(parse_recurrence("daily@22:30")->minute, 22 * 60 + 30);
  for (const char* text : {"", "24", "h", "-3h", "9m", "367d", "daily", "daily@24:00", "daily@9:00",
                           "24 h", "99999999999999999999h", "weekly@1"}) {
    const auto refused = parse_recurrence(text);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().code, Errc::invalid_argument);
    EXPECT_THAT(refused.error().message, HasSubstr("24h"));
  }
}

TEST(Recurrence, WhatWasMissedComesOnceAndThenInItsOldRhythm) {
  const Recurrence daily = *parse_recurrence("24h");
  const UnixMillis due{1'795'554'000'000};
  EXPECT_EQ(next_due(daily, due, {due.value + kHour}).value, due.value + 24 * kHour);
  // Five days off: one of the missed, at once, and the next a day after that slot.
  const UnixMillis late{due.value + 5 * 24 * kHour + kHour};
  const UnixMillis missed = next_due(daily, due, late);
  EXPECT_EQ(missed.value, due.value + 5 * 24 * kHour);
  EXPECT_EQ(next_due(daily, missed, late).value, due.value + 6 * 24 * kHour);
  // The clock stands in the past: later than the last all the same.
  EXPECT_GT(next_due(daily, due, {due.value - 100 * kHour}).value, due.value);
}

TEST(Recurrence, DailyIsAtThatMinuteOfTheLocalDay) {
  const Recurrence daily = *parse_recurrence("daily@22:00");
  const UnixMillis now{1'795'554'000'000};
  const UnixMillis first = first_due(daily, now);
  EXPECT_GT(first.value, now.value);
  EXPECT_LE(first.value, now.value + 25 * kHour);
  const auto unix_time = static_cast<std::time_t>(first.value / 1000);
  std::tm local{};
  ::localtime_r(&unix_time, &local);
  EXPECT_EQ(local.tm_hour, 22);
  EXPECT_EQ(local.tm_min, 0);
  const UnixMillis next = next_due(daily, first, {first.value + kMinute});
  EXPECT_NEAR(static_cast<double>(next.value - first.value), 24.0 * kHour, 1.0 * kHour);
  EXPECT_EQ(next_due(daily, first, {next.value + 3 * 24 * kHour + kMinute}).value % kMinute, 0);
}

TEST_F(QueueSeriesTest, WhenAJobHasEndedTheNextIsQueuedAlsoAfterRestarts) {
  const JobId first = scheduler_->submit_series(request(), "24h")->id;
  ASSERT_TRUE(await(first, JobState::done));
  scheduler_->look_at_the_clock();

  const protocol::QueueJob next = only();
  EXPECT_NE(JobId(next.job_id), first);
  EXPECT_EQ(next.every, "24h");
  EXPECT_THAT(next.why, testing::MatchesRegex("it may start at 20..-..-.. ..:.."));
  EXPECT_THAT(scheduler_->why(JobId(next.job_id))->text, HasSubstr("it recurs: 24h"));

  start();
  scheduler_->look_at_the_clock();
  EXPECT_EQ(JobId(only().job_id), JobId(next.job_id)) << "it is queued once";
  EXPECT_EQ(jobs(), 2);

  // The daemon is off for five days: one job of those that were missed.
  scheduler_.reset();
  clock_.pass(5 * 24 * kHour + kHour);
  start();
  ASSERT_TRUE(await(JobId(next.job_id), JobState::done));
  scheduler_->look_at_the_clock();
  ASSERT_EQ(jobs(), 3);
  const JobId third = stored(JobId("j-0000000003")).id;
  ASSERT_TRUE(await(third, JobState::done)) << "what was missed comes at once";
  scheduler_->look_at_the_clock();
  EXPECT_EQ(jobs(), 4);
  const auto due = [this](const JobId& id) {
    return stored(id).request.terms.not_before->value % (24 * kHour);
  };
  EXPECT_EQ(due(JobId(only().job_id)), due(JobId(next.job_id))) << "at the hour of the series";
}

TEST_F(QueueSeriesTest, CancellingAJobEndsItsSeries) {
  const JobId first = scheduler_->submit_series(request(), "daily@03:00")->id;
  EXPECT_EQ(JobId(only().job_id), first);

  ASSERT_TRUE(scheduler_->cancel(first));
  scheduler_->look_at_the_clock();
  start();
  scheduler_->look_at_the_clock();

  EXPECT_EQ(scheduler_->list().size(), 0U);
  EXPECT_EQ(jobs(), 1);
  EXPECT_EQ(base_->agenda().series()->size(), 0U);
}

TEST_F(QueueSeriesTest, AJumpOfTheClockQueuesNothing) {
  const JobId first = scheduler_->submit_series(request(), "24h")->id;
  ASSERT_TRUE(await(first, JobState::done));
  scheduler_->look_at_the_clock();
  const protocol::QueueJob next = only();
  for (int i = 0; i < 20; ++i) scheduler_->look_at_the_clock();
  EXPECT_EQ(JobId(only().job_id), JobId(next.job_id));
  EXPECT_EQ(jobs(), 2);
}

TEST_F(QueueSeriesTest, WhatCannotRecurIsRefusedWithASentence) {
  auto late = request();
  late.terms.deadline = UnixMillis{1};
  EXPECT_THAT(scheduler_->submit_series(late, "24h").error().message, HasSubstr("'deadline'"));
  EXPECT_THAT(scheduler_->submit_series(request(), "often").error().message,
              HasSubstr("not 'often'"));
  EXPECT_EQ(jobs(), 0);
}

TEST_F(QueueSeriesTest, AProposalWaitsForAPersonAndIsMadeOnce) {
  const knowledge_base::JobProposal proposal{"driver 590 t-1", "the driver is 590 now"};
  const JobId id = scheduler_->propose(request(), proposal, true)->id;
  EXPECT_TRUE(scheduler_->was_proposed("driver 590 t-1"));
  EXPECT_EQ(scheduler_->propose(request(), proposal, true).error().code, Errc::conflict);
  protocol::QueueJob line = only();
  EXPECT_TRUE(line.proposed);
  EXPECT_TRUE(line.held);
  EXPECT_THAT(line.why, HasSubstr("the driver is 590 now"));
  EXPECT_THAT(scheduler_->why(id)->text, HasSubstr("the daemon proposed it"));

  start();

  EXPECT_TRUE(scheduler_->was_proposed("driver 590 t-1"));
  EXPECT_TRUE(only().held);
  ASSERT_TRUE(scheduler_->hold(id, false));
  ASSERT_TRUE(await(id, JobState::done));
  EXPECT_EQ(scheduler_->propose(request(), proposal, true).error().code, Errc::conflict)
      << "once is enough, whatever came of it";
}

TEST_F(QueueSeriesTest, LanesWorkBesideEachOtherEachWithWhatItCanRun) {
  runner_->open(false);
  const JobId first = scheduler_->submit(request())->id;
  const JobId second = scheduler_->submit(request())->id;
  const JobId third = scheduler_->submit(request())->id;
  const JobId simulated = scheduler_->submit(request(Provider::sim))->id;

  const auto at_work = runner_->await(3);

  ASSERT_EQ(at_work.size(), 3U);
  EXPECT_EQ(at_work.at(simulated), 2U);
  EXPECT_FALSE(at_work.contains(third)) << "a GPU has one job at a time";
  EXPECT_NE(at_work.at(first), at_work.at(second));
  clock_.pass(kMinute);
  const auto lanes = scheduler_->lanes();
  ASSERT_EQ(lanes.size(), 3U);
  for (const auto& lane : lanes) {
    EXPECT_FALSE(lane.job.str().empty()) << lane.spec.name;
    EXPECT_NEAR(lane.busy, 1, 1e-3) << lane.spec.name;
  }
  EXPECT_EQ(lane_text(lanes[2]), "sim: " + simulated.str() + ", busy 100 %");
  EXPECT_THAT(scheduler_->why(simulated)->text, HasSubstr("runs on sim"));
  runner_->open(true);
  ASSERT_TRUE(await(third, JobState::done));
  EXPECT_EQ(stored(simulated).history.back().holder, "sim");
}

TEST_F(QueueSeriesTest, AFreeGpuGetsAJobBeforeTwoShareOne) {
  constexpr int kRounds = 20;
  lanes_ = {gpu("gpu 0 (2)", "GPU-a", 1), gpu("gpu 1 (2)", "GPU-b", 1), gpu("gpu 0", "GPU-a"),
            gpu("gpu 1", "GPU-b")};
  start();
  for (int round = 0; round < kRounds; ++round) {
    runner_->open(false);
    std::array<JobId, 4> jobs;
    for (auto& job : jobs) job = scheduler_->submit(request())->id;

    const auto at_work = runner_->await(4);

    ASSERT_EQ(at_work.size(), 4U);
    EXPECT_GE(at_work.at(jobs[0]), 2U);
    EXPECT_GE(at_work.at(jobs[1]), 2U);
    EXPECT_LT(at_work.at(jobs[2]), 2U);
    EXPECT_LT(at_work.at(jobs[3]), 2U);
    runner_->open(true);
    for (const auto& job : jobs) ASSERT_TRUE(await(job, JobState::done));
    ASSERT_TRUE(await_free_lanes());
  }
}

}  // namespace
}  // namespace warpmind::daemon
