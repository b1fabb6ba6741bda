// Limits of an episode and of a day.

#include "agents/llm/day_ledger.h"
#include "agents/llm/episode_ledger.h"
#include "agents/llm/token_estimate.h"
#include "base/guarded.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using knowledge_base::DaySpending;
using testing::HasSubstr;

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr SpendBound kBound{100, 1000, true};
constexpr Usage kSmall{10, 5, 5, 20, 4, 200, true, true};  // 40 tokens

class SetClock final : public Clock {
 public:
  UnixMillis wall() const override { return {now}; }
  std::chrono::steady_clock::time_point monotonic() const override { return {}; }
  std::atomic<std::int64_t> now{100 * kDayMs};
};

/// Keeps days in memory; fails on demand, as a full disk does.
class MemoryDays final : public knowledge_base::DayStore {
 public:
  Result<DaySpending> read(std::int64_t day) const override {
    return days_.with([&](const auto& days) {
      const auto found = days.find(day);
      return found == days.end() ? DaySpending{} : found->second;
    });
  }
  Result<void> add(std::int64_t day, const DaySpending& more) override {
    if (full) return fail(Errc::unavailable, "the disk is full");
    days_.with([&](auto& days) {
      auto& sum = days[day];
      sum.requests += more.requests;
      sum.input_tokens += more.input_tokens;
      sum.cached_tokens += more.cached_tokens;
      sum.written_tokens += more.written_tokens;
      sum.output_tokens += more.output_tokens;
      sum.micro_usd += more.micro_usd;
    });
    return {};
  }
  std::atomic<bool> full{false};

 private:
  Guarded<std::map<std::int64_t, DaySpending>> days_;
};

TEST(EpisodeLedger, ReservesBeforeSpending) {
  EpisodeLedger ledger({250, 0});
  const auto first = ledger.reserve(kBound);
  const auto second = ledger.reserve(kBound);
  ASSERT_TRUE(first.has_value() && second.has_value());

  const auto third = ledger.reserve(kBound);

  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, Errc::unavailable);
  EXPECT_THAT(third.error().message, HasSubstr("limit of 250 tokens for this episode"));
  EXPECT_THAT(third.error().message, HasSubstr("200 are spent or reserved"));
  EXPECT_THAT(third.error().message, HasSubstr("raise episode.tokens"));
  // What was reserved too much is free again once it is known.
  ASSERT_TRUE(ledger.settle(*first, kSmall).has_value());
  EXPECT_TRUE(ledger.reserve(kBound).has_value());
}

TEST(EpisodeLedger, ASettledOrReleasedReservationEndsOnce) {
  EpisodeLedger ledger({100, 0});
  const auto made = ledger.reserve(kBound).value();
  ASSERT_TRUE(ledger.settle(made, kSmall).has_value());
  ASSERT_TRUE(ledger.settle(made, kSmall).has_value());
  ledger.release(made);
  EXPECT_EQ(ledger.spent(), kSmall);
  EXPECT_EQ(ledger.reserved(), SpendLimits{});
}

TEST(EpisodeLedger, LimitsMoneyOfModelsThatHaveAPrice) {
  EpisodeLedger ledger({0, 1500});
  const auto made = ledger.reserve(kBound);
  ASSERT_TRUE(made.has_value());
  const auto refused = ledger.reserve(kBound);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("0.0015 USD"));
  EXPECT_THAT(refused.error().message, HasSubstr("raise episode.usd"));

  const auto unpriced = ledger.reserve({100, 0, false});
  ASSERT_FALSE(unpriced.has_value());
  EXPECT_EQ(unpriced.error().code, Errc::invalid_argument);
  EXPECT_THAT(unpriced.error().message, HasSubstr("llm.price_file"));
}

TEST(EpisodeLedger, HoldsWithManyAtOnce) {
  EpisodeLedger ledger({1000, 0});
  std::atomic<int> granted{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 10; ++n) granted += ledger.reserve(kBound).has_value() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(granted, 10);
  EXPECT_EQ(ledger.reserved().tokens, 1000);
}

TEST(DayLedger, RemembersOverARestart) {
  MemoryDays days;
  SetClock clock;
  {
    DayLedger ledger(days, clock, {139, 0});
    const auto made = ledger.reserve(kBound);
    ASSERT_TRUE(made.has_value());
    ASSERT_TRUE(ledger.settle(*made, kSmall).has_value());
  }
  DayLedger ledger(days, clock, {139, 0});
  EXPECT_EQ(ledger.spent().value(), (SpendLimits{40, 200}));

  const auto refused = ledger.reserve(kBound);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("today (UTC)"));
  EXPECT_THAT(refused.error().message, HasSubstr("raise llm.tokens_per_day"));
}

TEST(DayLedger, ANewDayHasNewRoomAndARequestCountsWhereItBegan) {
  MemoryDays days;
  SetClock clock;
  DayLedger ledger(days, clock, {150, 0});
  const auto late = ledger.reserve(kBound).value();
  ASSERT_FALSE(ledger.reserve(kBound).has_value());

  clock.now += kDayMs;

  const auto early = ledger.reserve(kBound);
  ASSERT_TRUE(early.has_value()) << "what is reserved yesterday takes no room";
  ASSERT_TRUE(ledger.settle(late, kSmall).has_value());
  EXPECT_EQ(ledger.spent()->tokens, 0);
  EXPECT_EQ(days.read(100)->requests, 1);
  EXPECT_EQ(days.read(101)->requests, 0);
  ledger.release(*early);
  EXPECT_EQ(days.read(101)->requests, 0);
}

TEST(DayLedger, WhatCannotBeRecordedIsNotForgottenAndStopsFurtherSpending) {
  MemoryDays days;
  SetClock clock;
  DayLedger ledger(days, clock, {1000, 0});
  const auto made = ledger.reserve(kBound).value();
  days.full = true;

  EXPECT_FALSE(ledger.settle(made, kSmall).has_value());

  EXPECT_EQ(ledger.spent()->tokens, 40);
  const auto refused = ledger.reserve(kBound);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot be recorded: the disk is full"));
  days.full = false;
  EXPECT_TRUE(ledger.reserve(kBound).has_value());
  EXPECT_EQ(days.read(100)->requests, 1);
  EXPECT_EQ(days.read(100)->micro_usd, 200);
}

TEST(DayLedger, WhatIsOwedCountsWhenTheDayIsReadAgain) {
  MemoryDays days;
  SetClock clock;
  DayLedger ledger(days, clock, {1000, 0});
  const auto made = ledger.reserve(kBound).value();
  days.full = true;
  EXPECT_FALSE(ledger.settle(made, kSmall).has_value());
  clock.now += kDayMs;
  EXPECT_EQ(ledger.spent()->tokens, 0);
  clock.now -= kDayMs;
  EXPECT_EQ(ledger.spent()->tokens, 40);
}

TEST(DayLedger, HoldsWithManyAtOnce) {
  MemoryDays days;
  SetClock clock;
  DayLedger ledger(days, clock, {0, 0});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          const auto made = ledger.reserve(kBound);
          ASSERT_TRUE(made.has_value());
          ASSERT_TRUE(ledger.settle(*made, kSmall).has_value());
        }
      });
    }
  }
  EXPECT_EQ(days.read(100)->requests, 160);
  EXPECT_EQ(ledger.spent().value(), (SpendLimits{160 * 40, 160 * 200}));
}

}  // namespace
}  // namespace warpmind::agents::llm
