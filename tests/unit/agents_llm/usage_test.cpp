// Token counts in one form, their estimates, and what they cost.

#include "agents/llm/price_table.h"
#include "agents/llm/token_estimate.h"
#include "agents/llm/usage_reader.h"
#include "base/file.h"

#include <fstream>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(UsageReader, OpenAiCountsTheCacheAsInputAndAnthropicDoesNot) {
  const auto chat = read_chat_usage(json::parse(
      R"({"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":80}})"));
  const auto messages = read_messages_usage(
      json::parse(R"({"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":7})"));
  EXPECT_EQ(chat, (Usage{20, 80, 0, 7, 0, 0, false, true}));
  EXPECT_EQ(messages, chat);
}

TEST(UsageReader, ReasoningBesideTheOutputIsAddedOnceWhereTheTotalSaysSo) {
  const auto beside =
      read_chat_usage(json::parse(R"({"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,)"
                                  R"("completion_tokens_details":{"reasoning_tokens":100}})"));
  ASSERT_TRUE(beside.has_value());
  EXPECT_EQ(beside->output_tokens, 105);
  const auto inside = read_chat_usage(
      json::parse(R"({"prompt_tokens":10,"completion_tokens":105,"total_tokens":115,)"
                  R"("completion_tokens_details":{"reasoning_tokens":100}})"));
  ASSERT_TRUE(inside.has_value());
  EXPECT_EQ(inside->output_tokens, 105);
}

TEST(UsageReader, RefusesCountsThatCannotBeTrue) {
  for (
      const char* text : {
          R"({})",
          R"({"prompt_tokens":10})",
          R"({"prompt_tokens":-1,"completion_tokens":5})",
          R"({"prompt_tokens":0,"completion_tokens":5})",
          R"({"prompt_tokens":1.5,"completion_tokens":5})",
          R"({"prompt_tokens":"10","completion_tokens":5})",
          R"({"prompt_tokens":99999999999999999999,"completion_tokens":5})",
          R"({"prompt_tokens":18446744073709551615,"completion_tokens":5})",
          R"({"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":11}})",
          R"({"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-1}})",
          R"({"prompt_tokens":10,"completion_tokens":5,)"
          R"("completion_tokens_details":{"reasoning_tokens":6}})",
      }) {
    EXPECT_EQ(read_chat_usage(json::parse(text)), std::nullopt) << text;
  }
  for (const char* text : {
           R"({"input_tokens":10})",
           R"({"input_tokens":0,"output_tokens":3})",
           R"({"input_tokens":10,"output_tokens":3,"cache_read_input_tokens":-4})",
           R"({"input_tokens":10,"output_tokens":3,"output_tokens_details":{"thinking_tokens":4}})",
       }) {
    EXPECT_EQ(read_messages_usage(json::parse(text)), std::nullopt) << text;
  }
}

TEST(UsageReader, DetailsMayBeMissingOrNull) {
  EXPECT_EQ(read_responses_usage(json::parse(
                R"({"input_tokens":10,"output_tokens":5,"input_tokens_details":null})")),
            (Usage{10, 0, 0, 5, 0, 0, false, true}));
  EXPECT_EQ(read_messages_usage(json::parse(
                R"({"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":null})")),
            (Usage{10, 0, 0, 5, 0, 0, false, true}));
}

TEST(TokenEstimate, TheBoundIsAboveTheEstimate) {
  ModelRequest request;
  request.system = std::string(700, 's');
  request.messages = {{Speaker::user, std::string(350, 'u')}};
  const Usage usage = estimated_usage(request, 35, 70);

  EXPECT_EQ(usage.input_tokens, 300);
  EXPECT_EQ(usage.reasoning_tokens, 20);
  EXPECT_EQ(usage.output_tokens, 30);
  EXPECT_FALSE(usage.reported);
  EXPECT_EQ(usage.tokens(), 330);
  EXPECT_EQ(most_input_tokens(request), 525 + 2 * 16);
}

TEST(TokenEstimate, SumsAreReportedOnlyIfAllPartsAre) {
  Usage sum;
  add_usage(sum, {1, 2, 3, 4, 1, 5, true, true});
  EXPECT_TRUE(sum.reported && sum.priced);
  add_usage(sum, {10, 20, 30, 40, 10, 0, false, false});
  EXPECT_EQ(sum, (Usage{11, 22, 33, 44, 11, 5, false, false}));
}

TEST(PriceTable, TheLongestNameWinsAndEndsAtASign) {
  const auto prices = PriceTable::parse(R"(
version = "7"
[[price]]
model = "big"
input = 2000000
output = 8000000
as_of = "2026-01-01"
[[price]]
model = "big-mini"
input = 1
cached = 2
cache_write = 3
output = 4
as_of = "2026-01-01"
source = "somewhere"
)",
                                        "p.toml")
                          .value();
  EXPECT_EQ(prices.version(), "7");
  EXPECT_EQ(prices.find("big")->cached, 2'000'000) << "missing = as input";
  EXPECT_EQ(prices.find("big-2026")->input, 2'000'000);
  EXPECT_EQ(prices.find("big-mini")->output, 4);
  EXPECT_EQ(prices.find("big-mini:latest")->output, 4);
  EXPECT_EQ(prices.find("bigger"), std::nullopt);
  EXPECT_EQ(prices.find("big.1"), std::nullopt);
  EXPECT_EQ(prices.find("small"), std::nullopt);
}

TEST(PriceTable, CostsAreRoundedUp) {
  const ModelPrice price{"m", 2'000'000, 200'000, 2'500'000, 8'000'000, "", ""};
  EXPECT_EQ(cost_of({1000, 0, 0, 0, 0, 0, false, false}, price), 2000);
  EXPECT_EQ(cost_of({100, 1000, 10, 50, 50, 0, false, false}, price), 200 + 200 + 25 + 400);
  EXPECT_EQ(cost_of({0, 1, 0, 0, 0, 0, false, false}, price), 1);
  EXPECT_EQ(cost_of({}, price), 0);
}

TEST(PriceTable, TheBuiltInTableHoldsNoPrices) {
  const auto prices = PriceTable::load({});
  ASSERT_TRUE(prices.has_value()) << prices.error().message;
  EXPECT_EQ(prices->size(), 0U);
  EXPECT_EQ(prices->version(), "1");
}

TEST(PriceTable, SaysWhatIsWrongAndWhere) {
  const std::string head = "version = \"1\"\n[[price]]\n";
  const std::pair<std::string, const char*> cases[] = {
      {"[[price]]\nmodel = \"m\"\n", "version"},
      {head + "model = \"m\"\ninput = -1\noutput = 1\nas_of = \"d\"\n", "p.toml:4"},
      {head + "model = \"m\"\ninput = 2000000000\noutput = 1\nas_of = \"d\"\n", "micro-USD"},
      {head + "model = \"m\"\ninput = 1\nas_of = \"d\"\n", "output"},
      {head + "model = \"m\"\ninput = 1\noutput = 1\n", "as_of"},
      {head + "model = \"\"\ninput = 1\noutput = 1\nas_of = \"d\"\n", "must not be empty"},
      {head + "modle = \"m\"\n", "model"},
      {head + "model = \"m\"\ninput = 1\noutput = 1\nas_of = \"d\"\n"
              "[[price]]\nmodel = \"m\"\ninput = 1\noutput = 1\nas_of = \"d\"\n",
       "second price"},
  };
  for (const auto& [text, message] : cases) {
    const auto parsed = PriceTable::parse(text, "p.toml");
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(message));
  }
  const auto missing = PriceTable::load("/nowhere/prices.toml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("llm.price_file"));
}

}  // namespace
}  // namespace warpmind::agents::llm
