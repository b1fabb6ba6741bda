#include "daemon/rpc/subscriptions.h"

#include "tests/unit/daemon/fake_connections.h"

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

JobEvent event(std::uint64_t sequence, std::int64_t step, JobState state = JobState::running) {
  JobEvent made;
  made.progress.job_id = "j-0000000001";
  made.progress.state = state;
  made.progress.step = step;
  made.sequence = sequence;
  return made;
}

class SubscriptionsTest : public testing::Test {
 protected:
  const std::vector<std::string>& lines(ConnectionId id) { return connections_.sent[id]; }

  FakeConnections connections_;
  std::optional<JobEvent> latest_;
  Subscriptions subscriptions_{connections_, [this](const JobId&) { return latest_; }};
  const JobId job_{"j-0000000001"};
};

TEST_F(SubscriptionsTest, WatcherGetsTheNewestEventAtOnceAndLaterOnes) {
  latest_ = event(5, 3);

  subscriptions_.watch(1, job_, event(0, 0));
  subscriptions_.publish(event(6, 4));

  ASSERT_EQ(lines(1).size(), 2U);
  EXPECT_NE(lines(1)[0].find("\"step\":3"), std::string::npos);
  EXPECT_NE(lines(1)[1].find("\"step\":4"), std::string::npos);
}

TEST_F(SubscriptionsTest, OlderEventsOfOtherThreadsAreLeftOut) {
  latest_ = event(5, 3);

  subscriptions_.watch(1, job_, event(0, 0));
  subscriptions_.publish(event(4, 2));
  subscriptions_.publish(event(5, 3));

  EXPECT_EQ(lines(1).size(), 1U);
}

TEST_F(SubscriptionsTest, FinalEventEndsTheWatch) {
  latest_ = event(1, 0);
  subscriptions_.watch(1, job_, event(0, 0));

  subscriptions_.publish(event(2, 1, JobState::done));
  subscriptions_.publish(event(3, 1, JobState::done));

  EXPECT_EQ(lines(1).size(), 2U);
  EXPECT_FALSE(subscriptions_.is_watching(1));
}

TEST_F(SubscriptionsTest, JobThatEndedLongAgoIsToldOnce) {
  subscriptions_.watch(1, job_, event(0, 9, JobState::failed));

  ASSERT_EQ(lines(1).size(), 1U);
  EXPECT_NE(lines(1)[0].find("\"failed\""), std::string::npos);
  EXPECT_FALSE(subscriptions_.is_watching(1));
}

TEST_F(SubscriptionsTest, ForgottenConnectionGetsNothing) {
  latest_ = event(1, 0);
  subscriptions_.watch(1, job_, event(0, 0));
  subscriptions_.watch(2, job_, event(0, 0));

  subscriptions_.forget(1);
  subscriptions_.publish(event(2, 1));

  EXPECT_EQ(lines(1).size(), 1U);
  EXPECT_EQ(lines(2).size(), 2U);
}

}  // namespace
}  // namespace warpmind::daemon
