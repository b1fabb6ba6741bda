// Limits over a real server: reserved before, settled after, nothing twice.

#include "agents/llm/budgeted_model.h"

#include "agents/llm/episode_ledger.h"
#include "agents/llm/token_estimate.h"
#include "tests/unit/agents_llm/llm_fixture.h"

#include <thread>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using fakes::LlmFault;
using fakes::LlmReply;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Usage kAnswer{30, 60, 10, 20, 5, kSampleMicroUsd, true, true};

class BudgetedModelTest : public testing::TestWithParam<Dialect>, public LlmFixture {
 protected:
  [[nodiscard]] BudgetedModel budgeted(std::vector<SpendLedger*> ledgers) {
    const auto price = PriceTable::parse(kTestPrices, "test")->find("served-model");
    return {std::shared_ptr<LanguageModel>(model(GetParam())), std::move(ledgers), price};
  }
  /// Nothing stays reserved, and exactly `usage` is spent.
  static void expect_spent(const EpisodeLedger& ledger, const Usage& usage) {
    EXPECT_EQ(ledger.reserved(), SpendLimits{});
    EXPECT_EQ(ledger.spent(), usage);
  }
};

INSTANTIATE_TEST_SUITE_P(, BudgetedModelTest,
                         testing::Values(Dialect::chat, Dialect::responses, Dialect::messages),
                         [](const auto& each) { return dialect_text(each.param); });

TEST_P(BudgetedModelTest, SettlesWhatTheServerReports) {
  EpisodeLedger episode({10'000, 0});
  EpisodeLedger other({0, 1'000'000});
  const auto reply = budgeted({&episode, &other}).complete(sample_request(), {});
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->usage, kAnswer);
  expect_spent(episode, kAnswer);
  expect_spent(other, kAnswer);
}

TEST_P(BudgetedModelTest, AsksBeforeAnythingIsSent) {
  // The request may take 1000 tokens of output alone.
  EpisodeLedger wide({10'000, 0});
  EpisodeLedger narrow({1000, 0});
  const auto reply = budgeted({&wide, &narrow}).complete(sample_request(), {});
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, Errc::unavailable);
  EXPECT_THAT(reply.error().message, HasSubstr("raise episode.tokens"));
  EXPECT_THAT(server_.calls(), IsEmpty());
  expect_spent(wide, {});
  expect_spent(narrow, {});
}

TEST_P(BudgetedModelTest, ARetryIsNotCountedTwice) {
  // There is room for one reservation, not for two.
  EpisodeLedger ledger({1500, 0});
  server_.script({{.status = 429}, {.status = 529}, {}});
  const auto reply = budgeted({&ledger}).complete(sample_request(), {});
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->retries, 2);
  expect_spent(ledger, kAnswer);
}

TEST_P(BudgetedModelTest, AFailureThatTookNothingCostsNothing) {
  EpisodeLedger ledger({1500, 0});
  auto model = budgeted({&ledger});
  for (const LlmReply& failure :
       {LlmReply{.status = 500}, LlmReply{.status = 401}, LlmReply{.status = 307},
        LlmReply{.fault = LlmFault::reset}, LlmReply{.status = 429}}) {
    server_.script({failure});
    EXPECT_FALSE(model.complete(sample_request(), {}).has_value());
    expect_spent(ledger, {});
  }
}

TEST_P(BudgetedModelTest, ABrokenAnswerIsSettledAsFarAsItIsKnownAndOnce) {
  for (const LlmFault fault : {LlmFault::cut, LlmFault::no_end, LlmFault::malformed,
                               LlmFault::huge_event, LlmFault::error_event}) {
    EpisodeLedger ledger({0, 0});
    LlmReply broken{.text = std::string(70, 'a'), .fault = fault};
    server_.script({broken, {}});
    const auto reply = budgeted({&ledger}).complete(sample_request(), {});
    const Usage spent = ledger.spent();
    EXPECT_EQ(ledger.reserved(), SpendLimits{});
    EXPECT_TRUE(spent.priced);
    if (reply.has_value()) {
      EXPECT_EQ(reply->retries, 1);
      EXPECT_EQ(reply->usage, spent);
      // The broken attempt is between nothing and a whole answer.
      EXPECT_GT(spent.tokens(), kAnswer.tokens());
      EXPECT_LE(spent.tokens(), 2 * kAnswer.tokens());
      EXPECT_LE(spent.micro_usd, 2 * kSampleMicroUsd);
    } else {
      EXPECT_GT(spent.tokens(), 0);
      EXPECT_LE(spent.tokens(), kAnswer.tokens());
      EXPECT_LE(spent.micro_usd, kSampleMicroUsd);
    }
  }
}

TEST_P(BudgetedModelTest, WhatABrokenAnswerTookMayLeaveNoRoomForARetry) {
  // One reservation fits, a second one beside what the first attempt took does not.
  const std::int64_t bound = most_of(sample_request(), std::nullopt).tokens;
  EpisodeLedger ledger({bound, 0});
  server_.script({{.fault = LlmFault::cut}, {}});

  const auto reply = budgeted({&ledger}).complete(sample_request(), {});

  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, Errc::unavailable);
  EXPECT_THAT(reply.error().message, HasSubstr("raise episode.tokens"));
  EXPECT_THAT(server_.calls(), SizeIs(1));
  EXPECT_GT(ledger.spent().tokens(), 0);
  EXPECT_EQ(ledger.reserved(), SpendLimits{});
}

TEST_P(BudgetedModelTest, AStopInTheMiddleSettlesWhatCame) {
  EpisodeLedger ledger({1500, 0});
  server_.script({{.text = std::string(70, 'a'), .fault = LlmFault::hold}});
  auto model = budgeted({&ledger});
  std::stop_source stop;
  Result<ModelReply> reply;
  std::jthread asking([&] { reply = model.complete(sample_request(), stop.get_token()); });
  server_.await_held(1);

  stop.request_stop();
  asking.join();

  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, Errc::cancelled);
  EXPECT_EQ(ledger.reserved(), SpendLimits{});
  EXPECT_LE(ledger.spent().tokens(), kAnswer.tokens());
}

TEST_P(BudgetedModelTest, ManyAtOnceStayWithinTheLimit) {
  const std::int64_t bound = most_of(sample_request(), std::nullopt).tokens;
  EpisodeLedger ledger({3 * bound, 0});
  auto model = budgeted({&ledger});
  std::atomic<std::int64_t> answered{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto reply = model.complete(sample_request(), {});
        answered += reply ? 1 : 0;
        EXPECT_TRUE(reply || reply.error().code == Errc::unavailable);
      });
    }
  }
  EXPECT_GE(answered, 3);
  EXPECT_EQ(ledger.reserved(), SpendLimits{});
  EXPECT_EQ(ledger.spent().tokens(), answered * kAnswer.tokens());
  EXPECT_EQ(ledger.spent().micro_usd, answered * kSampleMicroUsd);
}

TEST(MostOf, IsTheDearestWayThroughTheCache) {
  const ModelPrice price{"m", 1'000'000, 100'000, 2'000'000, 4'000'000, "", ""};
  const auto request = sample_request();
  const std::int64_t input = most_input_tokens(request);
  const SpendBound bound = most_of(request, price);
  EXPECT_EQ(bound.tokens, input + 1000);
  EXPECT_EQ(bound.micro_usd, 2 * input + 4000);
  EXPECT_FALSE(most_of(request, std::nullopt).priced);
}

}  // namespace
}  // namespace warpmind::agents::llm
