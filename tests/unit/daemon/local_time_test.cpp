#include "daemon/scheduler/local_time.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock::time_point;

constexpr std::int64_t kStart = 1'800'000'000'000;

class SteadyWallTest : public testing::Test {
 protected:
  std::int64_t at(std::chrono::milliseconds passed, std::chrono::milliseconds jump) {
    return wall_.at(Steady(hours(50)) + passed, {kStart + passed.count() + jump.count()}).value -
           kStart;
  }
  SteadyWall wall_;
};

TEST_F(SteadyWallTest, FollowsSmallCorrections) {
  EXPECT_EQ(at(seconds(0), seconds(0)), 0);
  EXPECT_EQ(at(seconds(10), seconds(5)), 15'000);
  EXPECT_EQ(at(seconds(20), seconds(-20)), 0);
}

TEST_F(SteadyWallTest, AJumpThatIsTakenBackMovesNothing) {
  at(seconds(0), seconds(0));
  for (const auto jump : {hours(1), hours(-1)}) {
    EXPECT_EQ(at(minutes(1), jump), 60'000);
    EXPECT_EQ(at(minutes(9), jump), 9 * 60'000);
    EXPECT_EQ(at(minutes(10), seconds(0)), 10 * 60'000);
  }
}

TEST_F(SteadyWallTest, AJumpThatStandsIsBelieved) {
  at(seconds(0), seconds(0));
  EXPECT_EQ(at(minutes(1), hours(1)), 60'000);
  EXPECT_EQ(at(minutes(12), hours(1)), (60 + 12) * 60'000);
}

class LocalTimeTest : public testing::Test {
 protected:
  static void zone(const char* name) {
    ::setenv("TZ", name, 1);  // NOLINT(concurrency-mt-unsafe): before any thread
    ::tzset();
  }
  void TearDown() override { zone("UTC"); }
};

TEST_F(LocalTimeTest, ANightIsNamedAfterItsEveningAndEndsAtNoon) {
  zone("UTC");
  constexpr std::int64_t kNoon = 1'795'521'600'000;  // 2026-11-24 12:00 UTC
  EXPECT_EQ(moment_at({}, {kNoon - 1}).night, "2026-11-23");
  EXPECT_EQ(moment_at({}, {kNoon}).night, "2026-11-24");
  EXPECT_EQ(moment_at({}, {kNoon + 20LL * 3'600'000}).night, "2026-11-24");
  EXPECT_EQ(moment_at({}, {kNoon + 90'000}).minute, 12 * 60 + 1);
}

TEST_F(LocalTimeTest, HoursAreLocal) {
  zone("EST5");
  EXPECT_EQ(moment_at({}, {1'795'521'600'000}).minute, 7 * 60);
}

TEST_F(LocalTimeTest, AMomentOfAnotherDayHasItsDate) {
  zone("EST5");
  constexpr UnixMillis kNow{1'795'521'600'000};  // 2026-11-24 07:00 there
  EXPECT_EQ(local_clock({kNow.value + 90'000}, kNow), "07:01");
  EXPECT_EQ(local_clock({kNow.value + 17LL * 3'600'000}, kNow), "2026-11-25 00:00");
}

TEST_F(LocalTimeTest, HoursMayGoOverMidnight) {
  const auto night = parse_hours("22:00-06:00").value();
  ASSERT_TRUE(night);
  EXPECT_TRUE(night->contain(22 * 60));
  EXPECT_TRUE(night->contain(5 * 60 + 59));
  EXPECT_FALSE(night->contain(6 * 60));
  EXPECT_FALSE(night->contain(12 * 60));
  EXPECT_FALSE(parse_hours("").value());
  EXPECT_FALSE(parse_hours("22:00"));
}

}  // namespace
}  // namespace warpmind::daemon
