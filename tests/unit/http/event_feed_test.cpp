#include "daemon/http/event_feed.h"

#include "tests/unit/http/fake_exchange.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

using Pointer = std::shared_ptr<FakeExchange>;
using Texts = std::vector<std::string>;

class EventFeedTest : public testing::Test {
 protected:
  Pointer listen(const std::string& last_id = {}, ConnectionId owner = 7) {
    HttpRequest request{"GET", "/api/events"};
    if (!last_id.empty()) request.headers.push_back({"last-event-id", last_id});
    auto exchange = std::make_shared<FakeExchange>(std::move(request));
    feed_.subscribe(owner, exchange);
    return exchange;
  }

  EventFeed feed_{"run1", 3};
};

TEST_F(EventFeedTest, ANewStreamHearsWhatComesNext) {
  feed_.publish("before");
  const auto stream = listen();
  EXPECT_TRUE(stream->streaming);
  feed_.publish("one");
  feed_.publish("two");
  EXPECT_EQ(stream->events, (Texts{R"({"type":"open"})", "one", "two"}));
  EXPECT_EQ(stream->ids, (Texts{"run1-1", "run1-2", "run1-3"}));
}

TEST_F(EventFeedTest, AStreamIsTakenUpWhereItBroke) {
  const auto broken = listen();
  feed_.publish("one");
  broken->leave();
  feed_.publish("two");
  feed_.publish("three");
  const auto again = listen(broken->ids.back());
  feed_.publish("four");
  EXPECT_EQ(broken->events.back(), "one");
  EXPECT_EQ(again->events, (Texts{"two", "three", "four"}));
  EXPECT_EQ(again->ids, (Texts{"run1-2", "run1-3", "run1-4"}));
}

TEST_F(EventFeedTest, WhoMissedNothingHearsNothing) {
  feed_.publish("one");
  EXPECT_TRUE(listen("run1-1")->events.empty());
}

TEST_F(EventFeedTest, WhoMissedTooMuchIsToldToLookAnew) {
  for (const char* event : {"one", "two", "three", "four", "five"}) feed_.publish(event);
  EXPECT_EQ(listen("run1-2")->events, (Texts{"three", "four", "five"})) << "all of it is kept";
  const auto late = listen("run1-1");
  EXPECT_EQ(late->events, (Texts{R"({"type":"reset"})"}));
  EXPECT_EQ(late->ids, (Texts{"run1-5"}));
}

TEST_F(EventFeedTest, AnIdOfAnotherRunOrOfNobodyMeansLookAnew) {
  feed_.publish("one");
  for (const char* id : {"run2-1", "run1-2", "run1-", "run1", "1", "run1-1x", "run1--1", "x"}) {
    EXPECT_EQ(listen(id)->events, (Texts{R"({"type":"reset"})"})) << id;
  }
}

TEST_F(EventFeedTest, WhoLeavesIsForgotten) {
  const auto stays = listen();
  const auto leaves = listen();
  EXPECT_EQ(feed_.count(), 2U);
  leaves->leave();
  EXPECT_EQ(feed_.count(), 1U);
  feed_.publish("one");
  EXPECT_EQ(stays->events.size(), 2U);
  EXPECT_EQ(leaves->events.size(), 1U);
}

TEST_F(EventFeedTest, ASessionThatEndsTakesItsStreamsAlong) {
  const auto mine = listen({}, 7);
  const auto others = listen({}, 8);
  feed_.end(7);
  EXPECT_TRUE(mine->ended);
  EXPECT_FALSE(others->ended);
  EXPECT_EQ(feed_.count(), 1U);
}

TEST_F(EventFeedTest, OneStreamTooManyIsRefused) {
  std::vector<Pointer> streams;
  for (int i = 0; i < 32; ++i) streams.push_back(listen());
  EXPECT_EQ(listen()->status(), 503);
  streams.front()->leave();
  EXPECT_TRUE(listen()->streaming);
}

}  // namespace
}  // namespace warpmind::daemon::http
