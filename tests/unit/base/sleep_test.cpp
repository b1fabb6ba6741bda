#include "base/sleep.h"

#include <thread>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

using Clock = std::chrono::steady_clock;

TEST(SleepFor, LastsAsLongAsItIsTold) {
  constexpr std::chrono::milliseconds kTime{20};
  const auto from = Clock::now();
  sleep_for(kTime, {});
  EXPECT_GE(Clock::now() - from, kTime);
}

TEST(SleepFor, AStopEndsItAlsoBefore) {
  std::stop_source stop;
  std::jthread resting([token = stop.get_token()] { sleep_for(std::chrono::hours(24), token); });
  stop.request_stop();
  resting.join();
  sleep_for(std::chrono::hours(24), stop.get_token());
}

}  // namespace
}  // namespace warpmind
