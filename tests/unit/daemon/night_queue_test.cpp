#include "daemon/scheduler/night_queue.h"

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

JobId id(int number) {
  std::string digits = std::to_string(number);
  return JobId("j-" + std::string(10 - digits.size(), '0') + digits);
}

WaitingJob job(int number, std::string user = "ada") {
  WaitingJob job;
  job.id = id(number);
  job.task = "task" + std::to_string(number);
  job.terms.user = std::move(user);
  job.terms.background = true;
  job.budget = {10, 100, 0, 0, 0};
  return job;
}

class NightQueueTest : public testing::Test {
 protected:
  JobId next() {
    const auto lease = queue_.claim(now_);
    if (!lease) return JobId();
    (void)queue_.settle(lease->id, lease->epoch, {});
    return lease->id;
  }
  void pass(std::chrono::milliseconds time) {
    now_.steady += time;
    now_.wall.value += time.count();
  }

  NightQueue queue_;
  Moment now_{std::chrono::steady_clock::time_point(hours(100)),
              {1'800'000'000'000},
              23 * 60,
              "2026-11-24"};
};

TEST_F(NightQueueTest, JobsThatSomebodyWaitsForGoFirstThenPriorityThenAcceptance) {
  queue_.put(job(1));
  auto urgent = job(2);
  urgent.terms.priority = 5;
  queue_.put(urgent);
  queue_.put(job(3));
  auto awaited = job(4);
  awaited.terms.background = false;
  queue_.put(awaited);

  EXPECT_EQ(queue_.ahead_of(id(3)), 3);
  EXPECT_EQ(next(), id(4));
  EXPECT_EQ(next(), id(2));
  EXPECT_EQ(next(), id(1));
  EXPECT_EQ(next(), id(3));
  EXPECT_EQ(next(), JobId());
}

TEST_F(NightQueueTest, WorthDecidesBetweenEquals) {
  queue_.put(job(1));
  auto better = job(2);
  better.worth.value = 1;
  queue_.put(better);

  EXPECT_EQ(next(), id(2));
}

TEST_F(NightQueueTest, WhatHasKeptStepsGoesOnBeforeAnythingBegins) {
  auto better = job(1);
  better.worth.value = 1;
  queue_.put(better);
  auto begun = job(2, "bob");
  begun.kept.evaluations = 1;
  queue_.charge(now_.night, "bob", {1, 60});
  queue_.put(begun);

  EXPECT_EQ(next(), id(2));
  EXPECT_EQ(next(), id(1));
}

TEST_F(NightQueueTest, WhoHadLeastOfTheNightIsNext) {
  for (int i = 1; i <= 4; ++i) queue_.put(job(i, "ada"));
  for (int i = 5; i <= 6; ++i) queue_.put(job(i, "bob"));
  std::vector<JobId> order;
  while (const auto lease = queue_.claim(now_)) {
    order.push_back(lease->id);
    Spent cost;
    cost.seconds = 60;
    ASSERT_TRUE(queue_.settle(lease->id, lease->epoch, cost));
  }

  EXPECT_EQ(order, (std::vector<JobId>{id(1), id(5), id(2), id(6), id(3), id(4)}));
}

TEST_F(NightQueueTest, HeldJobsAndThoseBeforeTheirTimeWait) {
  auto held = job(1);
  held.held = true;
  queue_.put(held);
  auto later = job(2);
  later.terms.not_before = UnixMillis{now_.wall.value + 60'000};
  queue_.put(later);

  EXPECT_FALSE(queue_.claim(now_));
  EXPECT_THAT(queue_.why(id(1), now_), HasSubstr("paused"));
  EXPECT_THAT(queue_.why(id(2), now_), HasSubstr("may start at "));
  EXPECT_EQ(queue_.waiting_for_time(now_), 1);
  pass(minutes(1));
  EXPECT_EQ(queue_.waiting_for_time(now_), 0);
  EXPECT_EQ(queue_.why(id(2), now_), "it is next");
  EXPECT_EQ(next(), id(2));
}

TEST_F(NightQueueTest, AJobComesAfterThoseItNamesAndFailsWithThem) {
  auto second = job(2);
  second.unfinished = {id(1)};
  queue_.put(second);
  auto third = job(3);
  third.unfinished = {id(2)};
  queue_.put(third);

  EXPECT_FALSE(queue_.claim(now_));
  EXPECT_EQ(queue_.why(id(2), now_), "it comes after j-0000000001");
  queue_.ended(id(1), JobState::done);
  EXPECT_EQ(next(), id(2));
  queue_.ended(id(2), JobState::failed);
  const auto passed = queue_.tick(now_);
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].kind, Passing::Kind::doomed);
  EXPECT_EQ(passed[0].why, "j-0000000002, which it comes after, is failed");
  EXPECT_EQ(queue_.waiting(), 0U);
}

TEST_F(NightQueueTest, AJobThatHasNotBegunByItsDeadlineIsTooLate) {
  auto late = job(1);
  late.terms.deadline = now_.wall;
  queue_.put(late);

  EXPECT_TRUE(queue_.tick(now_).empty());
  pass(seconds(1));
  const auto passed = queue_.tick(now_);

  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].kind, Passing::Kind::late);
}

TEST_F(NightQueueTest, QuietHoursHoldTheBackgroundOnly) {
  ASSERT_TRUE(queue_.set_rules({"22:30-06:00", {}, {}}));
  queue_.put(job(1));
  auto awaited = job(2);
  awaited.terms.background = false;
  queue_.put(awaited);

  EXPECT_EQ(next(), id(2));
  EXPECT_FALSE(queue_.claim(now_));
  EXPECT_EQ(queue_.why(id(1), now_), "these are quiet hours (22:30-06:00)");
  now_.minute = 6 * 60;
  EXPECT_EQ(next(), id(1));
}

TEST_F(NightQueueTest, HoursOfAnotherShapeAreRefusedAndTheRulesStay) {
  ASSERT_TRUE(queue_.set_rules({"08:00-19:00", {}, {}}));
  for (const char* text : {"8-19", "08:00-24:00", "08:00-08:00", "08:60-10:00", "ab:cd-ef:gh"}) {
    EXPECT_FALSE(queue_.set_rules({text, {}, {}})) << text;
  }
  EXPECT_EQ(queue_.rules().quiet_hours, "08:00-19:00");
}

TEST_F(NightQueueTest, ANightGivesNoMoreThanItHas) {
  Spent night;
  night.evaluations = 15;
  ASSERT_TRUE(queue_.set_rules({"", night, {}}));
  for (int i = 1; i <= 3; ++i) queue_.put(job(i));

  const auto first = queue_.claim(now_);
  const auto second = queue_.claim(now_);

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->granted.evaluations, 10);
  EXPECT_EQ(second->granted.evaluations, 5) << "what is left";
  EXPECT_FALSE(queue_.claim(now_)) << "all is reserved";
  EXPECT_THAT(queue_.why(id(3), now_), HasSubstr("15 candidates"));
  Spent cost;
  cost.evaluations = 4;
  ASSERT_TRUE(queue_.settle(first->id, first->epoch, cost));
  EXPECT_EQ(queue_.spent(now_.night).evaluations, 9) << "4 spent, 5 reserved";
  const auto third = queue_.claim(now_);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->granted.evaluations, 6);
}

TEST_F(NightQueueTest, ALimitOfAUserStopsThatUserAlone) {
  Spent user;
  user.gpu_seconds = 50;
  ASSERT_TRUE(queue_.set_rules({"", {}, user}));
  queue_.put(job(1, "ada"));
  queue_.put(job(2, "ada"));
  queue_.put(job(3, "bob"));
  const auto first = queue_.claim(now_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->granted.gpu_seconds, 50) << "a job without a limit gets what is left";
  Spent cost;
  cost.gpu_seconds = 50;
  ASSERT_TRUE(queue_.settle(first->id, first->epoch, cost));

  EXPECT_EQ(next(), id(3));
  EXPECT_FALSE(queue_.claim(now_));
  EXPECT_THAT(queue_.why(id(2), now_), HasSubstr("ada has spent or reserved 50 s of device time"));
  now_.night = "2026-11-25";
  EXPECT_EQ(next(), id(2)) << "another night, another budget";
}

TEST_F(NightQueueTest, ALaneGetsWhatItCanRun) {
  queue_.put(job(1));
  auto simulated = job(2);
  simulated.provider = Provider::sim;
  queue_.put(simulated);
  const LaneSkills simulator{false, true, true};

  const auto first = queue_.claim(now_, Claimable::every_job, simulator);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->id, id(2)) << "though the other was accepted before it";
  EXPECT_FALSE(queue_.claim(now_, Claimable::every_job, simulator).has_value());
  EXPECT_EQ(queue_.claim(now_, Claimable::every_job, {true, false, false})->id, id(1));
}

TEST_F(NightQueueTest, WhatEarlierStartsKeptIsNotSpentAgain) {
  knowledge_base::QueueRules rules;
  rules.night.evaluations = 12;
  ASSERT_TRUE(queue_.set_rules(rules));
  queue_.charge(now_.night, "ada", {4, 0, 0, 0, 0});  // by the starts before
  auto resumed = job(1);
  resumed.terms.night = now_.night;
  resumed.spent.evaluations = 4;
  resumed.kept.evaluations = 4;
  queue_.put(resumed);

  const auto lease = queue_.claim(now_);

  ASSERT_TRUE(lease.has_value());
  EXPECT_EQ(lease->granted.evaluations, 10) << "its own budget: 4 are kept, 6 are to come";
  EXPECT_EQ(queue_.spent(now_.night).evaluations, 10);
  auto other = job(2);
  queue_.put(other);
  EXPECT_EQ(queue_.claim(now_)->granted.evaluations, 2) << "what is left of 12";
}

TEST_F(NightQueueTest, ALeaseWithoutASignOfLifeIsTakenBackAndItsResultRefused) {
  queue_.put(job(1));
  const auto lease = queue_.claim(now_);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->epoch, 1);
  pass(kLeaseTime - seconds(1));
  queue_.renew(id(1), now_);
  pass(kLeaseTime - seconds(1));
  EXPECT_TRUE(queue_.tick(now_).empty());
  pass(seconds(1));

  const auto passed = queue_.tick(now_);

  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].kind, Passing::Kind::lease_lost);
  EXPECT_EQ(passed[0].epoch, 1);
  EXPECT_FALSE(queue_.settle(id(1), 1, {}));
  auto again = job(1);
  again.epoch = 2;
  queue_.put(again);
  EXPECT_EQ(queue_.claim(now_)->epoch, 3);
  EXPECT_FALSE(queue_.settle(id(1), 1, {}));
  EXPECT_TRUE(queue_.settle(id(1), 3, {}));
  EXPECT_FALSE(queue_.settle(id(1), 3, {})) << "once";
}

TEST_F(NightQueueTest, AClaimThatIsGivenBackLeavesNoTrace) {
  auto old = job(1);
  old.spent.evaluations = 7;  // of another night
  queue_.put(old);
  ASSERT_TRUE(queue_.claim(now_));
  EXPECT_EQ(queue_.spent(now_.night).evaluations, 17) << "7 moved along, 10 reserved";

  queue_.unclaim(id(1));

  EXPECT_EQ(queue_.spent(now_.night), Spent{});
  EXPECT_EQ(queue_.claim(now_)->epoch, 1);
}

}  // namespace
}  // namespace warpmind::daemon
