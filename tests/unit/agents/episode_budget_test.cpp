#include "agents/episode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;

class HandClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {0}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return now; }
  std::chrono::steady_clock::time_point now;
};

class EpisodeBudgetTest : public testing::Test {
 protected:
  HandClock clock_;
};

TEST_F(EpisodeBudgetTest, CandidatesUnderWayCountAsSpent) {
  EpisodeBudget budget({3, 60}, clock_);
  budget.judged(0);

  EXPECT_EQ(budget.refusal(1), "");
  EXPECT_EQ(budget.refusal(2), "the budget of 3 candidates is spent");
}

TEST_F(EpisodeBudgetTest, TimeRunsFromTheStart) {
  EpisodeBudget budget({3, 60}, clock_);
  clock_.now += std::chrono::seconds(59);
  EXPECT_EQ(budget.refusal(), "");

  clock_.now += std::chrono::seconds(1);

  EXPECT_EQ(budget.refusal(), "the budget of 60 s is spent");
}

TEST_F(EpisodeBudgetTest, DeviceTimeIsReservedBeforeItIsSpent) {
  Budget limits{100, 600};
  limits.gpu_seconds = 10;
  EpisodeBudget budget(limits, clock_);
  budget.judged_baseline(2);
  budget.judged(3);  // 5 spent, the next one is expected to take 3

  EXPECT_EQ(budget.refusal(), "");
  EXPECT_THAT(budget.refusal(1), HasSubstr("10.0 s of device time (5.0 s are spent)"));
}

TEST_F(EpisodeBudgetTest, TokensOfEveryKindCount) {
  Budget limits{100, 600};
  limits.tokens = 100;
  EpisodeBudget budget(limits, clock_);
  ModelSpending spending;
  spending.input_tokens = 20;
  spending.cached_tokens = 30;
  spending.output_tokens = 49;
  budget.paid(spending);
  EXPECT_EQ(budget.refusal(), "");

  spending = {};
  spending.written_tokens = 1;
  budget.paid(spending);

  EXPECT_EQ(budget.refusal(), "the budget of 100 tokens is spent");
}

TEST_F(EpisodeBudgetTest, MoneyIsALimitOfItsOwn) {
  Budget limits{100, 600};
  limits.micro_usd = 250'000;
  EpisodeBudget budget(limits, clock_);
  ModelSpending spending;
  spending.micro_usd = 250'000;
  budget.paid(spending);

  EXPECT_EQ(budget.refusal(), "the budget of 0.25 USD is spent");
}

TEST_F(EpisodeBudgetTest, OnlyStagesOnAGpuTakeDeviceTime) {
  Verdict verdict;
  verdict.stages = {{Stage::build, 5, true, ""},
                    {Stage::tiny_oracle, 0.5, true, ""},
                    {Stage::timing, 1, true, ""}};

  EXPECT_EQ(device_seconds(verdict, Provider::gpu), 1.5);
  EXPECT_EQ(device_seconds(verdict, Provider::sim), 0);
}

}  // namespace
}  // namespace warpmind::agents
