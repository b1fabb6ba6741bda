// Requests as bytes, and answers read from bytes, without sockets.

#include "agents/llm/wire_dialect.h"

#include "tests/fakes/llm_stream.h"
#include "tests/unit/agents_llm/llm_fixture.h"

#include <random>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ModelRequest conversation() {
  ModelRequest request = sample_request();
  request.messages = {
      {Speaker::user, "task"}, {Speaker::assistant, "try"}, {Speaker::user, "again \"\xc3\xa9\""}};
  return request;
}

ModelRequest structured() {
  ModelRequest request = sample_request();
  request.schema_name = "candidate";
  request.schema = R"({"type": "object"})";
  return request;
}

std::string body(Dialect dialect, const ModelRequest& request, const WireChoices& choices = {}) {
  return make_dialect(dialect)->body(request, "m", choices).value();
}

TEST(ChatDialect, WritesAConversation) {
  EXPECT_EQ(body(Dialect::chat, conversation()),
            R"({"max_tokens":1000,"messages":[{"content":"You write CUDA.","role":"system"},)"
            R"({"content":"task","role":"user"},{"content":"try","role":"assistant"},)"
            "{\"content\":\"again \\\"\xc3\xa9\\\"\",\"role\":\"user\"}],"
            R"("model":"m","stream":true,"stream_options":{"include_usage":true}})");
}

TEST(ChatDialect, WritesWhatTheServerCanTake) {
  EXPECT_EQ(body(Dialect::chat, structured(),
                 {.stream = false, .usage_in_stream = true, .completion_tokens = true}),
            R"({"max_completion_tokens":1000,"messages":[{"content":"You write CUDA.",)"
            R"("role":"system"},{"content":"Make it faster.","role":"user"}],"model":"m",)"
            R"("response_format":{"json_schema":{"name":"candidate","schema":{"type":"object"},)"
            R"("strict":true},"type":"json_schema"},"stream":false})");
  EXPECT_THAT(body(Dialect::chat, structured(), {.structured = false, .usage_in_stream = false}),
              Not(testing::AnyOf(HasSubstr("response_format"), HasSubstr("stream_options"))));
}

TEST(ResponsesDialect, WritesAConversation) {
  EXPECT_EQ(body(Dialect::responses, conversation()),
            R"({"input":[{"content":"task","role":"user"},{"content":"try","role":"assistant"},)"
            "{\"content\":\"again \\\"\xc3\xa9\\\"\",\"role\":\"user\"}],"
            R"("instructions":"You write CUDA.","max_output_tokens":1000,"model":"m",)"
            R"("store":false,"stream":true})");
  EXPECT_THAT(body(Dialect::responses, structured()),
              HasSubstr(R"("text":{"format":{"name":"candidate","schema":{"type":"object"},)"
                        R"("strict":true,"type":"json_schema"}})"));
}

TEST(MessagesDialect, WritesAConversationWithTheStablePrefixMarked) {
  EXPECT_EQ(
      body(Dialect::messages, conversation()),
      R"({"max_tokens":1000,"messages":[{"content":[{"cache_control":{"type":"ephemeral"},)"
      R"("text":"task","type":"text"}],"role":"user"},{"content":[{"text":"try",)"
      R"("type":"text"}],"role":"assistant"},)"
      "{\"content\":[{\"text\":\"again \\\"\xc3\xa9\\\"\",\"type\":\"text\"}],\"role\":\"user\"}],"
      R"("model":"m","stream":true,"system":[{"cache_control":{"type":"ephemeral"},)"
      R"("text":"You write CUDA.","type":"text"}]})");
  EXPECT_THAT(
      body(Dialect::messages, structured()),
      HasSubstr(R"("output_config":{"format":{"schema":{"type":"object"},"type":"json_schema"}})"));
}

TEST(WireDialect, SendsTheKeyAsEachWantsIt) {
  EXPECT_THAT(make_dialect(Dialect::chat)->headers("k"), ElementsAre("Authorization: Bearer k"));
  EXPECT_THAT(make_dialect(Dialect::responses)->headers("k"),
              ElementsAre("Authorization: Bearer k"));
  EXPECT_THAT(make_dialect(Dialect::messages)->headers("k"),
              ElementsAre("anthropic-version: 2023-06-01", "x-api-key: k"));
  EXPECT_THAT(make_dialect(Dialect::chat)->headers(""), IsEmpty());
}

class EveryDialect : public testing::TestWithParam<Dialect> {
 protected:
  [[nodiscard]] std::unique_ptr<ReplyReader> read(const std::string& stream) const {
    auto reader = make_dialect(GetParam())->reader();
    SseParser parser(1U << 20U);
    last_ = parser.feed(stream, [&](const SseEvent& event) { return reader->read_event(event); });
    return reader;
  }
  [[nodiscard]] std::string stream(const fakes::LlmReply& reply) const {
    std::string bytes;
    const auto events = fakes::llm_events(wire_of(GetParam()), reply);
    for (const auto* part : {&events.before, &events.after, &events.end}) {
      for (const auto& event : *part) bytes += event;
    }
    return bytes;
  }

  mutable Result<void> last_;
};

INSTANTIATE_TEST_SUITE_P(, EveryDialect,
                         testing::Values(Dialect::chat, Dialect::responses, Dialect::messages),
                         [](const auto& each) { return dialect_text(each.param); });

TEST_P(EveryDialect, RefusesRequestsThatCannotBe) {
  ModelRequest request = sample_request();
  request.messages.push_back({Speaker::assistant, "I am last"});
  EXPECT_FALSE(make_dialect(GetParam())->body(request, "m", {}).has_value());
  request = structured();
  request.schema = "{not json";
  const auto body = make_dialect(GetParam())->body(request, "m", {});
  ASSERT_FALSE(body.has_value());
  EXPECT_EQ(body.error().code, Errc::invalid_argument);
}

TEST_P(EveryDialect, BytesThatAreNotUtf8DoNoHarm) {
  ModelRequest request = sample_request();
  request.messages.back().text = "bad \xff byte";
  EXPECT_THAT(body(GetParam(), request), HasSubstr("bad \xef\xbf\xbd byte"));
}

TEST_P(EveryDialect, ReadsAStreamAndCountsEachTokenOnce) {
  const auto reader = read(stream({.text = "answer \xe2\x82\xac", .reasoning = "because"}));

  ASSERT_TRUE(last_.has_value()) << last_.error().message;
  const auto& draft = reader->draft();
  EXPECT_EQ(draft.text, "answer \xe2\x82\xac");
  EXPECT_EQ(draft.reasoning, "because");
  EXPECT_EQ(draft.model, "served-model");
  EXPECT_TRUE(draft.finished);
  ASSERT_TRUE(draft.usage.has_value());
  EXPECT_EQ(*draft.usage, (Usage{30, 60, 10, 20, 5, 0, false, true}));
}

TEST_P(EveryDialect, ReadsAWholeAnswerAlike) {
  const fakes::LlmReply reply{.text = "answer"};
  const auto reader = make_dialect(GetParam())->reader();

  ASSERT_TRUE(reader->read_whole(fakes::llm_whole(wire_of(GetParam()), reply)).has_value());

  EXPECT_EQ(reader->draft().text, "answer");
  EXPECT_TRUE(reader->draft().finished);
  EXPECT_EQ(reader->draft().usage, (Usage{30, 60, 10, 20, 5, 0, false, true}));
}

TEST_P(EveryDialect, TellsWhyAnAnswerEnded) {
  const auto stop = [&](fakes::LlmEnd end) {
    return read(stream({.text = "t", .end = end}))->draft().stop;
  };
  EXPECT_EQ(stop(fakes::LlmEnd::complete), StopReason::complete);
  EXPECT_EQ(stop(fakes::LlmEnd::length), StopReason::length);
  EXPECT_EQ(stop(fakes::LlmEnd::refusal), StopReason::refusal);
}

TEST_P(EveryDialect, IsNotFinishedBeforeItsEndMark) {
  const auto events = fakes::llm_events(wire_of(GetParam()), {.text = "all of the text"});
  std::string bytes;
  for (const auto* part : {&events.before, &events.after}) {
    for (const auto& event : *part) bytes += event;
  }
  const auto reader = read(bytes);
  EXPECT_EQ(reader->draft().text, "all of the text");
  EXPECT_TRUE(reader->draft().started);
  EXPECT_FALSE(reader->draft().finished);
}

TEST_P(EveryDialect, AnErrorInTheStreamMayPass) {
  const auto reader = read(fakes::llm_error_event(wire_of(GetParam()), "too busy"));
  ASSERT_FALSE(last_.has_value());
  EXPECT_EQ(last_.error(), (Error{Errc::unavailable, "too busy"}));
}

TEST_P(EveryDialect, AnErrorThatBlamesTheRequestDoesNot) {
  (void)read(
      R"(data: {"type":"error","error":{"type":"invalid_request_error","message":"too long"}})"
      "\n\n");
  ASSERT_FALSE(last_.has_value());
  EXPECT_EQ(last_.error(), (Error{Errc::invalid_argument, "too long"}));
}

TEST_P(EveryDialect, RefusesWhatIsNotJson) {
  for (const char* data : {"data: {\"a\": tru\n\n", "data: [1]\n\n", "data: 7\n\n"}) {
    (void)read(data);
    ASSERT_FALSE(last_.has_value()) << data;
    EXPECT_EQ(last_.error().code, Errc::external_failure);
  }
}

TEST_P(EveryDialect, MembersOfAnotherTypeDoNoHarm) {
  (void)read(
      "data: {\"type\":7,\"choices\":[1,{\"delta\":5}],\"model\":[],\"usage\":3}\n\n"
      "data: {\"choices\":{},\"delta\":[],\"message\":1,\"response\":2}\n\n"
      "data: {\"type\":\"message_start\",\"message\":[]}\n\n"
      "data: {\"type\":\"content_block_delta\",\"delta\":\"x\"}\n\n"
      "data: {\"type\":\"message_delta\",\"usage\":[],\"delta\":7}\n\n");
  EXPECT_TRUE(last_.has_value()) << last_.error().message;
}

// Whatever comes, a reader ends in an answer or an error, and never with more than was sent.
TEST_P(EveryDialect, DamagedStreamsDoNoHarm) {
  const std::string whole = stream({.text = "some text \xe2\x82\xac", .reasoning = "because"});
  std::mt19937 random(7);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(damaged.size());
      switch (below(4)) {
        case 0: damaged[at] = static_cast<char>(below(256)); break;
        case 1: damaged.erase(at, 1 + below(20)); break;
        case 2: damaged.insert(at, damaged.substr(below(damaged.size()), below(60))); break;
        default: damaged.resize(at + 1); break;
      }
    }
    const auto reader = read(damaged);
    EXPECT_LE(reader->draft().text.size(), damaged.size() * 3);
    EXPECT_TRUE(last_ || !last_.error().message.empty());
  }
}

TEST(ChatReader, KnowsBothNamesOfReasoningAndTheFirstChoiceAlone) {
  const auto reader = make_chat_dialect()->reader();
  const auto read = [&](const std::string& data) { return reader->read_event({"", data}); };
  ASSERT_TRUE(read(R"({"choices":[{"delta":{"reasoning":"a"}}]})"));
  ASSERT_TRUE(read(R"({"choices":[{"delta":{"reasoning_content":"b"}}]})"));
  ASSERT_TRUE(read(R"({"choices":[{"index":1,"delta":{"content":"other"}},)"
                   R"({"index":0,"delta":{"content":"mine"}}]})"));
  ASSERT_TRUE(read(R"({"choices":[{"delta":{"refusal":" no"}}]})"));
  EXPECT_EQ(reader->draft().reasoning, "ab");
  EXPECT_EQ(reader->draft().text, "mine no");
  EXPECT_EQ(reader->draft().stop, StopReason::refusal);
}

TEST(ResponsesReader, TakesTheTextFromTheEndWhereThereWereNoPieces) {
  const auto reader = make_responses_dialect()->reader();
  const auto events = fakes::llm_events(fakes::LlmWire::responses, {.text = "whole"});
  SseParser parser(1U << 20U);
  ASSERT_TRUE(parser.feed(events.end.back(),
                          [&](const SseEvent& event) { return reader->read_event(event); }));
  EXPECT_EQ(reader->draft().text, "whole");
}

TEST(ResponsesReader, AFailedResponseKeepsItsTokens) {
  const auto reader = make_responses_dialect()->reader();
  SseParser parser(1U << 20U);
  const auto fed = parser.feed(fakes::llm_error_event(fakes::LlmWire::responses, "x"),
                               [&](const SseEvent& event) { return reader->read_event(event); });
  ASSERT_FALSE(fed.has_value());
  ASSERT_TRUE(reader->draft().usage.has_value());
  EXPECT_EQ(reader->draft().usage->output_tokens, 20);
}

}  // namespace
}  // namespace warpmind::agents::llm
