#include "agents/llm/retry_policy.h"

#include <stop_token>

#include <gtest/gtest.h>

namespace warpmind::agents::llm {
namespace {

using std::chrono::milliseconds;

// Sun, 06 Nov 1994 08:49:37 GMT.
constexpr UnixMillis kDate{784'111'777'000};

std::optional<milliseconds> asked(std::string_view ms, std::string_view plain,
                                  UnixMillis now = kDate) {
  return read_retry_hints("", ms, plain, now).after;
}

TEST(RetryPolicy, TriesAgainWhatMayPass) {
  for (const long status : {408L, 409L, 429L, 500L, 502L, 503L, 529L}) {
    EXPECT_TRUE(may_pass(status, {})) << status;
  }
  for (const long status : {0L, 301L, 400L, 401L, 403L, 404L, 413L, 422L}) {
    EXPECT_FALSE(may_pass(status, {})) << status;
  }
}

TEST(RetryPolicy, TheServerHasTheLastWord) {
  EXPECT_FALSE(may_pass(500, read_retry_hints("false", "", "", kDate)));
  EXPECT_TRUE(may_pass(400, read_retry_hints("true", "", "", kDate)));
  EXPECT_TRUE(may_pass(500, read_retry_hints("maybe", "", "", kDate)));
}

TEST(RetryPolicy, WaitsAsAsked) {
  EXPECT_EQ(asked("", "3"), milliseconds(3000));
  EXPECT_EQ(asked("", "0.5"), milliseconds(500));
  EXPECT_EQ(asked("250", "3"), milliseconds(250)) << "milliseconds go first";
  EXPECT_EQ(asked("", "Sun, 06 Nov 1994 08:49:37 GMT", {kDate.value - 20'000}),
            milliseconds(20'000));
  EXPECT_EQ(asked("", "60"), milliseconds(60'000));
  EXPECT_EQ(asked("", "0"), milliseconds(0));
}

TEST(RetryPolicy, DoesNotWaitForWhatIsTooLongOrNonsense) {
  EXPECT_EQ(asked("", ""), std::nullopt);
  EXPECT_EQ(asked("", "61"), std::nullopt);
  EXPECT_EQ(asked("60001", ""), std::nullopt);
  EXPECT_EQ(asked("", "-1"), std::nullopt);
  EXPECT_EQ(asked("", "1e400"), std::nullopt);
  EXPECT_EQ(asked("", "nan"), std::nullopt);
  EXPECT_EQ(asked("", "soon"), std::nullopt);
  EXPECT_EQ(asked("", "Sun, 06 Nov 1994 08:49:37 GMT", {kDate.value + 1}), std::nullopt)
      << "a moment that is past";
}

TEST(RetryPolicy, DoublesUpToItsCapAndJittersDownward) {
  EXPECT_EQ(retry_wait(0, {}, 0), milliseconds(500));
  EXPECT_EQ(retry_wait(1, {}, 0), milliseconds(1000));
  EXPECT_EQ(retry_wait(3, {}, 0), milliseconds(4000));
  EXPECT_EQ(retry_wait(4, {}, 0), milliseconds(8000));
  EXPECT_EQ(retry_wait(1000, {}, 0), milliseconds(8000));
  EXPECT_EQ(retry_wait(0, {}, 0.5), milliseconds(437));
  EXPECT_GE(retry_wait(0, {}, 0.999), milliseconds(375));
  EXPECT_EQ(retry_wait(5, read_retry_hints("", "", "2", kDate), 0.9), milliseconds(2000));
}

TEST(RetryPolicy, WaitingEndsWithTheStop) {
  const auto hooks = completed({});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(hooks.wait(std::chrono::hours(1), stop.get_token()));
  EXPECT_TRUE(hooks.wait(milliseconds(0), {}));
  const double drawn = hooks.random();
  EXPECT_TRUE(drawn >= 0 && drawn < 1);
}

}  // namespace
}  // namespace warpmind::agents::llm
