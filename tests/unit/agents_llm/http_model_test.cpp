// Every fault in every dialect over real sockets: a clear end, the right code, each token once.

#include "agents/llm/http_model.h"

#include "base/file.h"
#include "base/log.h"
#include "tests/unit/agents_llm/llm_fixture.h"

#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warpmind::agents::llm {
namespace {

using fakes::LlmFault;
using fakes::LlmReply;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// What fakes::LlmTokens is in our form.
constexpr Usage kSampleUsage{30, 60, 10, 20, 5, kSampleMicroUsd, true, true};

class HttpModelTest : public testing::TestWithParam<Dialect>, public LlmFixture {
 protected:
  [[nodiscard]] Result<ModelReply> ask(const EndpointOptions& options,
                                       const ModelRequest& request = sample_request()) {
    return model(options)->complete(request, {});
  }
  [[nodiscard]] Result<ModelReply> ask() { return ask(options(GetParam())); }

  /// An error of `code` that says `why`, and the key nowhere.
  static void expect_error(const Result<ModelReply>& reply, Errc code, const std::string& why) {
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code, code) << reply.error().message;
    EXPECT_THAT(reply.error().message, HasSubstr(why));
    EXPECT_THAT(reply.error().message, Not(HasSubstr("0123456789")));
  }
};

INSTANTIATE_TEST_SUITE_P(, HttpModelTest,
                         testing::Values(Dialect::chat, Dialect::responses, Dialect::messages),
                         [](const auto& each) { return dialect_text(each.param); });

TEST_P(HttpModelTest, BringsTheAnswer) {
  server_.script({{.text = "answer", .reasoning = "because"}});

  const auto reply = ask();

  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->text, "answer");
  EXPECT_EQ(reply->reasoning, "because");
  EXPECT_EQ(reply->usage, kSampleUsage);
  EXPECT_EQ(reply->model, "served-model");
  EXPECT_EQ(reply->request_id, "req-7");
  EXPECT_EQ(reply->retries, 0);
  EXPECT_GT(reply->first_token_seconds, 0);
  EXPECT_GE(reply->seconds, reply->first_token_seconds);
  ASSERT_THAT(server_.calls(), SizeIs(1));
  const auto call = server_.calls()[0];
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.headers.at("content-type"), "application/json");
  EXPECT_EQ(call.headers.at(GetParam() == Dialect::messages ? "x-api-key" : "authorization"),
            GetParam() == Dialect::messages ? kTestKey : std::string("Bearer ") + kTestKey);
  EXPECT_THAT(call.body, Not(HasSubstr("proposal"))) << "the purpose is never sent";
}

TEST_P(HttpModelTest, ReadsAnswersThatComeByteByByte) {
  server_.script({{.text = "\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x82\xac", .piece = 1}});

  const auto reply = ask();

  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->text, "\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x82\xac");
  EXPECT_EQ(reply->usage, kSampleUsage);
}

TEST_P(HttpModelTest, ReadsWholeAnswersAlike) {
  server_.script({{.text = "whole"}});
  auto plain = options(GetParam());
  plain.stream = false;

  const auto reply = ask(plain);

  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->text, "whole");
  EXPECT_EQ(reply->usage, kSampleUsage);
}

TEST_P(HttpModelTest, ARefusalIsAnAnswer) {
  server_.script({{.text = "I will not", .end = fakes::LlmEnd::refusal}});
  const auto reply = ask();
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->stop, StopReason::refusal);
  EXPECT_EQ(reply->text, "I will not");
}

TEST_P(HttpModelTest, TokensAreEstimatedWhereTheServerReportsNoneOrNonsense) {
  const std::string text(70, 'a');
  for (const LlmReply& answer :
       {LlmReply{.text = text, .tokens = std::nullopt},
        LlmReply{.text = text,
        .raw_usage = R"({"prompt_tokens":-5,"input_tokens":-5,)"
                     R"("completion_tokens":3,"output_tokens":3})"},
        LlmReply{.text = text, .raw_usage = R"({"prompt_tokens":1e30,"input_tokens":1e30})"}}) {
    server_.script({answer});
    const auto reply = ask();
    ASSERT_TRUE(reply.has_value()) << reply.error().message;
    EXPECT_FALSE(reply->usage.reported);
    EXPECT_EQ(reply->usage.input_tokens, 9);  // 30 bytes
    EXPECT_EQ(reply->usage.output_tokens, 20);
    EXPECT_EQ(reply->usage.micro_usd, 9 + 80);
  }
}

TEST_P(HttpModelTest, TriesAgainAfterFailuresThatMayPass) {
  for (const int status : {408, 409, 429, 500, 503, 529}) {
    server_.script({{.status = status}, {.status = status}, {.text = "at last"}});
    const auto reply = ask();
    ASSERT_TRUE(reply.has_value()) << status << reply.error().message;
    EXPECT_EQ(reply->text, "at last");
    EXPECT_EQ(reply->retries, 2);
    EXPECT_EQ(reply->usage, kSampleUsage) << "what took nothing is not counted";
  }
  EXPECT_THAT(waits(),
              ElementsAre(500, 1000, 500, 1000, 500, 1000, 500, 1000, 500, 1000, 500, 1000));
}

TEST_P(HttpModelTest, WaitsAsTheServerAsks) {
  server_.script({{.status = 429, .headers = {"Retry-After: 7"}},
                  {.status = 503, .headers = {"retry-after-ms: 250", "Retry-After: 9"}},
                  {}});
  ASSERT_TRUE(ask().has_value());
  EXPECT_THAT(waits(), ElementsAre(7000, 250));
}

TEST_P(HttpModelTest, TheServerMayForbidRetriesAndAskForThem) {
  server_.script({{.status = 500, .headers = {"x-should-retry: false"}}});
  expect_error(ask(), Errc::unavailable, "answered 500");
  EXPECT_THAT(server_.calls(), SizeIs(1));
  server_.script({{.status = 400, .headers = {"x-should-retry: true"}}, {}});
  EXPECT_TRUE(ask().has_value());
}

TEST_P(HttpModelTest, GivesUpAfterTheRetries) {
  server_.script({{.status = 529, .error = "overloaded, key " + std::string(kTestKey)}});

  const auto reply = ask();

  expect_error(reply, Errc::unavailable,
               "127.0.0.1: answered 529: overloaded, key [key] (after 2 retries)");
  EXPECT_THAT(server_.calls(), SizeIs(3));
}

TEST_P(HttpModelTest, WhatIsWrongInTheRequestIsNotTriedAgain) {
  const std::tuple<int, const char*> cases[] = {
      {400, "answered 400: nope"}, {401, "check the key"}, {403, "check the key"},
      {404, "answered 404: nope"}, {413, "answered 413"},  {422, "answered 422"}};
  for (const auto& [status, why] : cases) {
    server_.script({{.status = status, .error = "nope"}});
    const auto before = server_.calls().size();
    expect_error(ask(), Errc::invalid_argument, why);
    EXPECT_EQ(server_.calls().size(), before + 1);
  }
  auto keyless = options(GetParam());
  keyless.key = "";
  server_.script({{.status = 401}});
  expect_error(ask(keyless), Errc::invalid_argument, "no key was sent");
}

TEST_P(HttpModelTest, FollowsNoRedirection) {
  server_.script({{.status = 307, .headers = {"Location: http://127.0.0.1:1/elsewhere"}}});
  expect_error(ask(), Errc::invalid_argument, "redirection, which is not followed");
  EXPECT_THAT(server_.calls(), SizeIs(1));
}

TEST_P(HttpModelTest, ABrokenAnswerIsNeverAShortOne) {
  for (const LlmFault fault : {LlmFault::cut, LlmFault::no_end, LlmFault::error_event}) {
    server_.script({{.text = "half of it", .fault = fault}, {.text = "all of it"}});
    const auto reply = ask();
    ASSERT_TRUE(reply.has_value()) << reply.error().message;
    EXPECT_EQ(reply->text, "all of it");
    EXPECT_EQ(reply->retries, 1);

    server_.script({{.text = "half of it", .fault = fault}});
    const auto before = server_.calls().size();
    const auto lost = ask();
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().code, Errc::unavailable) << lost.error().message;
    EXPECT_EQ(server_.calls().size(), before + 3);
  }
}

TEST_P(HttpModelTest, AConnectionThatEndsIsTriedAgain) {
  server_.script({{.fault = LlmFault::reset}, {.text = "there"}});
  EXPECT_EQ(ask()->text, "there");
  server_.script({{.fault = LlmFault::reset}});
  expect_error(ask(), Errc::unavailable, "(after 2 retries)");
}

TEST_P(HttpModelTest, WhatCannotBeReadIsAnErrorOfItsOwn) {
  server_.script({{.fault = LlmFault::malformed}});
  expect_error(ask(), Errc::external_failure, "not JSON");
  server_.script({{.fault = LlmFault::huge_event, .huge_bytes = std::size_t{1} << 20U}});
  auto narrow = options(GetParam());
  narrow.event_bytes = 10'000;
  expect_error(ask(narrow), Errc::external_failure, "longer than 10000 bytes");
  auto plain = options(GetParam());
  plain.stream = false;
  plain.retries = 0;
  server_.script({{.fault = LlmFault::cut}});
  expect_error(ask(plain), Errc::unavailable, "127.0.0.1");
}

TEST_P(HttpModelTest, AnEndlessAnswerIsCutOff) {
  server_.script({{.fault = LlmFault::endless_text}});
  auto request = sample_request();
  request.max_output_tokens = 10;
  expect_error(ask(options(GetParam()), request), Errc::external_failure, "beyond the limit");
  server_.script({{.fault = LlmFault::endless_comments}});
  auto narrow = options(GetParam());
  narrow.answer_bytes = 100'000;
  expect_error(ask(narrow), Errc::external_failure, "longer than 100000 bytes");
  EXPECT_THAT(server_.calls(), SizeIs(2));
}

TEST_P(HttpModelTest, SaysWhenSomethingElseAnswers) {
  server_.script({{.fault = LlmFault::web_page}});
  expect_error(ask(), Errc::external_failure, "'text/html' and no answer of a model");
  EXPECT_THAT(server_.calls(), SizeIs(1));
}

TEST_P(HttpModelTest, TheKeyIsInNoLogLine) {
  const auto scratch =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "llm").value();
  ASSERT_TRUE(log::open({scratch.path() / "log", log::Level::debug, false}).has_value());
  server_.script({{.status = 529, .error = "key " + std::string(kTestKey)},
                  {.fault = LlmFault::error_event, .error = "key " + std::string(kTestKey)},
                  {.fault = LlmFault::cut}});
  expect_error(ask(), Errc::unavailable, "");
  log::flush();
  const auto lines = read_file(scratch.path() / "log", 1U << 20U).value();
  EXPECT_THAT(lines, HasSubstr("asked again"));
  EXPECT_THAT(lines, HasSubstr("key [key]"));
  EXPECT_THAT(lines, Not(HasSubstr("0123456789")));
}

TEST_P(HttpModelTest, AStandstillIsGivenUp) {
  server_.script({{.fault = LlmFault::hold}});
  auto hasty = options(GetParam());
  hasty.stall_timeout = std::chrono::milliseconds(20);
  hasty.retries = 0;
  expect_error(ask(hasty), Errc::unavailable, "nothing came for 20 ms");
}

TEST_P(HttpModelTest, AStopEndsItAtOnce) {
  server_.script({{.fault = LlmFault::hold}});
  const auto made = model(GetParam());
  std::stop_source stop;
  Result<ModelReply> reply;
  std::jthread asking([&] { reply = made->complete(sample_request(), stop.get_token()); });
  server_.await_held(1);

  stop.request_stop();
  asking.join();

  expect_error(reply, Errc::cancelled, "given up");
  expect_error(made->complete(sample_request(), stop.get_token()), Errc::cancelled, "given up");
  EXPECT_THAT(server_.calls(), SizeIs(1));
}

TEST_P(HttpModelTest, AStopEndsTheWaitForARetry) {
  server_.script({{.status = 500}});
  std::stop_source stop;
  auto with_stop = parts();
  with_stop.hooks.wait = [&](std::chrono::milliseconds, const std::stop_token& token) {
    stop.request_stop();
    return !token.stop_requested();
  };
  const auto made = HttpModel::create(options(GetParam()), std::move(with_stop)).value();
  expect_error(made->complete(sample_request(), stop.get_token()), Errc::cancelled, "given up");
  EXPECT_THAT(server_.calls(), SizeIs(1));
}

TEST_P(HttpModelTest, ManyAskAtOnce) {
  server_.answer([](const fakes::LlmCall& call) {
    // Each gets its own question back.
    const auto at = call.body.find("question-");
    return LlmReply{.text = call.body.substr(at, 10)};
  });
  const auto made = model(GetParam());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&made, i] {
      for (int n = 0; n < 5; ++n) {
        auto request = sample_request();
        request.messages[0].text = "question-" + std::to_string(i);
        const auto reply = made->complete(request, {});
        ASSERT_TRUE(reply.has_value()) << reply.error().message;
        EXPECT_EQ(reply->text, request.messages[0].text);
      }
    });
  }
  threads.clear();
  EXPECT_THAT(server_.calls(), SizeIs(40));
}

TEST_P(HttpModelTest, ASchemaThatTheServerRefusesIsLeftOutFromThenOn) {
  server_.answer([](const fakes::LlmCall& call) {
    const bool has_schema = call.body.find("json_schema") != std::string::npos;
    return has_schema ? LlmReply{.status = 400, .error = "json_schema is not supported"}
                      : LlmReply{.text = "plain"};
  });
  const auto made = model(GetParam());
  auto request = sample_request();
  request.schema_name = "candidate";
  request.schema = R"({"type":"object"})";

  const auto first = made->complete(request, {});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->text, "plain");
  EXPECT_EQ(first->retries, 0);
  EXPECT_THAT(server_.calls(), SizeIs(2));
  ASSERT_TRUE(made->complete(request, {}).has_value());

  EXPECT_THAT(server_.calls(), SizeIs(3));
  EXPECT_THAT(waits(), IsEmpty());
}

TEST_P(HttpModelTest, ARequestThatIsWrongAnywayDoesNotTeachToLeaveTheSchemaOut) {
  server_.script({{.status = 400, .error = "too long"}});
  const auto made = model(GetParam());
  auto request = sample_request();
  request.schema_name = "candidate";
  request.schema = R"({"type":"object"})";
  expect_error(made->complete(request, {}), Errc::invalid_argument, "too long");
  EXPECT_THAT(server_.calls(), SizeIs(2));

  server_.script({{}});
  ASSERT_TRUE(made->complete(request, {}).has_value());
  EXPECT_THAT(server_.calls().back().body, HasSubstr("json_schema"));
}

class ChatModelTest : public HttpModelTest {};
INSTANTIATE_TEST_SUITE_P(, ChatModelTest, testing::Values(Dialect::chat),
                         [](const auto& each) { return dialect_text(each.param); });

TEST_P(ChatModelTest, FindsOutWhatTheServerCallsTheLimit) {
  server_.answer([](const fakes::LlmCall& call) {
    const bool old = call.body.find("\"max_tokens\"") != std::string::npos;
    return old ? LlmReply{.status = 400,
                          .error =
                              "Unsupported parameter: 'max_tokens'. Use "
                              "'max_completion_tokens' instead."}
               : LlmReply{};
  });
  const auto made = model(GetParam());
  ASSERT_TRUE(made->complete(sample_request(), {}).has_value());
  ASSERT_TRUE(made->complete(sample_request(), {}).has_value());
  EXPECT_THAT(server_.calls(), SizeIs(3));

  auto fixed = options(GetParam());
  fixed.output_limit_name = OutputLimitName::max_tokens;
  expect_error(ask(fixed), Errc::invalid_argument, "Unsupported parameter");
}

TEST_P(ChatModelTest, DoesWithoutTokenCountsWhereTheServerKnowsNone) {
  server_.answer([](const fakes::LlmCall& call) {
    const bool asked = call.body.find("stream_options") != std::string::npos;
    return asked ? LlmReply{.status = 422, .error = "extra field stream_options"}
                 : LlmReply{.text = std::string(35, 'a'), .tokens = std::nullopt};
  });
  const auto reply = ask();
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->usage.output_tokens, 10);
}

TEST_P(ChatModelTest, RefusesRequestsThatAreTooLong) {
  auto narrow = options(GetParam());
  narrow.request_bytes = 50;
  expect_error(ask(narrow), Errc::invalid_argument, "more than 50");
  EXPECT_THAT(server_.calls(), IsEmpty());
}

TEST_P(ChatModelTest, SaysWhenNobodyListens) {
  auto nowhere = options(GetParam());
  nowhere.url = "http://127.0.0.1:1";
  expect_error(ask(nowhere), Errc::unavailable, "127.0.0.1");
  EXPECT_THAT(waits(), SizeIs(2));
}

}  // namespace
}  // namespace warpmind::agents::llm
