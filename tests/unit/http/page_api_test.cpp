#include "daemon/http/page_api.h"

#include "daemon/http/page_methods.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/method_table.h"
#include "daemon/protocol/queue_messages.h"
#include "tests/unit/http/fake_exchange.h"
#include "tests/unit/mcp/mcp_client.h"

#include <set>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

using nlohmann::json;
using Pointer = std::shared_ptr<FakeExchange>;

class PageApiTest : public testing::Test {
 protected:
  PageApiTest() {
    api_.add_routes(router_);
    bench_.dispatcher.add<protocol::Empty, protocol::StatusResult>(
        "status", Execution::inline_io,
        [](const auto&, RequestContext&) -> Result<protocol::StatusResult> {
          protocol::StatusResult status;
          status.mode = "sim";
          return status;
        });
    bench_.dispatcher.add<protocol::KbSearchParams, RetrievalAnswer>(
        "kb.search", Execution::pool,
        [this](const auto& params, RequestContext& context) -> Result<RetrievalAnswer> {
          if (context.stop.stop_requested()) ++stopped_;
          if (params.text == "bad") return fail(Errc::conflict, "no");
          return RetrievalAnswer{};
        });
    bench_.dispatcher.add<protocol::KbChangeParams, protocol::KbInsightResult>(
        "kb.change", Execution::write,
        [this](const auto& params, RequestContext&) -> Result<protocol::KbInsightResult> {
          changes_.push_back(params.command);
          return protocol::KbInsightResult{};
        });
    bench_.dispatcher.add<protocol::QueueRulesParams, protocol::QueueRulesResult>(
        "queue.rules", Execution::write,
        [](const auto&, RequestContext&) -> Result<protocol::QueueRulesResult> {
          return protocol::QueueRulesResult{};
        });
  }

  Pointer send(const char* path, const char* method, std::string body, const std::string& token) {
    std::vector<HttpHeader> headers;
    if (!token.empty()) headers.push_back({"authorization", "Bearer " + token});
    auto exchange = std::make_shared<FakeExchange>(
        HttpRequest{method, path, 11, std::move(headers), std::move(body)});
    router_.serve(exchange);
    return exchange;
  }
  Pointer login(const std::string& code) {
    return send("/api/login", "POST", json{{"code", code}}.dump(), "");
  }
  std::string enter() {
    const auto answer = login(*api_.make_code());
    EXPECT_EQ(answer->status(), 200);
    return json::parse(answer->replied->body)["token"];
  }
  /// Not run yet.
  Pointer begin(const std::string& token, const std::string& method, json params, json id = 1) {
    const json request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    return send("/api/rpc", "POST", request.dump(), token);
  }
  json call(const std::string& token, const std::string& method, json params = json::object()) {
    const auto exchange = begin(token, method, std::move(params));
    bench_.run();
    EXPECT_TRUE(exchange->replied.has_value());
    return exchange->replied ? json::parse(exchange->replied->body) : json();
  }

  mcp::McpBench bench_;
  PageSessions::Time now_ = PageSessions::Time{} + std::chrono::hours(1);
  Router router_;
  PageApi api_{bench_.dispatcher, bench_.rpc, [this] { return now_; }, "run"};
  std::vector<std::string> changes_;
  int stopped_ = 0;
};

TEST_F(PageApiTest, LoginNeedsNoTokenAndTheRestASession) {
  EXPECT_EQ(router_.access_to({"POST", "/api/login"}), Access::open);
  EXPECT_EQ(router_.access_to({"POST", "/api/rpc"}), Access::session);
  EXPECT_EQ(router_.access_to({"GET", "/api/events"}), Access::session);
  EXPECT_EQ(router_.access_to({"POST", "/api/logout"}), Access::session);
}

TEST_F(PageApiTest, ACodeOpensOneSession) {
  const std::string code = *api_.make_code();
  const auto first = login(code);
  EXPECT_EQ(first->status(), 200);
  EXPECT_TRUE(api_.knows(json::parse(first->replied->body)["token"].get<std::string>()));
  const auto second = login(code);
  EXPECT_EQ(second->status(), 403);
  EXPECT_NE(second->replied->body.find("warpmind dashboard"), std::string::npos);
  EXPECT_FALSE(api_.knows(code)) << "a code is no token";
}

TEST_F(PageApiTest, ACodeThatIsNoneIsABadRequest) {
  for (const char* body : {"", "x", "[]", "{}", R"({"code":7})", "[[[[[[[[]]]]]]]]"}) {
    EXPECT_EQ(send("/api/login", "POST", body, "")->status(), 400) << body;
  }
}

TEST_F(PageApiTest, MethodsAreAnsweredUnderTheClientsId) {
  const std::string token = enter();
  EXPECT_EQ(call(token, "status")["result"]["mode"], "sim");
  const auto one = begin(token, "kb.search", json::object(), "same");
  const auto other = begin(enter(), "kb.search", json::object(), "same");
  bench_.run();
  EXPECT_EQ(json::parse(one->replied->body)["id"], "same");
  EXPECT_TRUE(json::parse(other->replied->body).contains("result"));
}

TEST_F(PageApiTest, WhatAMethodRefusesIsAnErrorOfTheAnswer) {
  const std::string token = enter();
  EXPECT_EQ(call(token, "kb.search", {{"text", "bad"}})["error"]["message"], "no");
  const auto wrong = call(token, "kb.search", {{"txt", "a"}});
  EXPECT_EQ(wrong["error"]["code"], protocol::kInvalidParams);
}

TEST_F(PageApiTest, OnlyRequestsAreTaken) {
  const std::string token = enter();
  for (const char* body : {"", "[]", R"({"jsonrpc":"2.0","method":"status"})", "{}",
                           R"([{"jsonrpc":"2.0","id":1,"method":"status"}])"}) {
    EXPECT_EQ(send("/api/rpc", "POST", body, token)->status(), 400) << body;
  }
}

TEST_F(PageApiTest, NothingButTheListIsCalled) {
  const std::set<std::string_view> allowed{
      "status",       "queue.list",      "queue.why",       "queue.report",     "queue.rules",
      "queue.pause",  "queue.resume",    "queue.cancel",    "queue.move",       "queue.retry",
      "episode.list", "episode.explain", "episode.profile", "episode.roofline", "task.result",
      "kb.stats",     "kb.search",       "kb.show",         "kb.why",           "kb.history",
      "kb.sources",   "kb.techniques",   "kb.graph",        "kb.clusters",      "kb.calibration",
      "kb.undo"};
  const std::string token = enter();
  for (const auto& spec : protocol::methods()) {
    if (spec.kind != protocol::MethodKind::request) continue;
    const bool passes = check_page_method(spec.name, protocol::Document()).has_value();
    EXPECT_EQ(passes, allowed.contains(spec.name)) << spec.name;
    if (passes) continue;
    EXPECT_EQ(begin(token, std::string(spec.name), json::object())->status(), 403) << spec.name;
  }
  EXPECT_EQ(begin(token, "no.such", json::object())->status(), 403);
  EXPECT_EQ(begin(token, "episode.list", {{"file", "/etc/passwd"}})->status(), 403);
}

TEST_F(PageApiTest, OfChangesToInsightsFewAreTaken) {
  const std::string token = enter();
  for (const char* command : {"retire", "pin", "unpin", "reinstate"}) {
    EXPECT_TRUE(call(token, "kb.change", {{"id", "i-1"}, {"command", command}}).contains("result"));
  }
  for (const char* command : {"retract", "quarantine", "", "PIN"}) {
    const auto refused = begin(token, "kb.change", {{"id", "i-1"}, {"command", command}});
    EXPECT_EQ(refused->status(), 403) << command;
  }
  EXPECT_EQ(changes_, (std::vector<std::string>{"retire", "pin", "unpin", "reinstate"}));
}

TEST_F(PageApiTest, CallsAreNoNews) {
  const std::string token = enter();
  const auto stream = send("/api/events", "GET", "", enter());
  for (const char* method : {"status", "kb.search", "queue.rules"}) (void)call(token, method);
  EXPECT_EQ(stream->events, (std::vector<std::string>{R"({"type":"open"})"}));
}

TEST_F(PageApiTest, EveryPageHearsOfAChange) {
  const auto stream = send("/api/events", "GET", "", enter());
  api_.on_change();
  ASSERT_EQ(stream->events.size(), 2U);
  EXPECT_EQ(stream->events[1], R"({"type":"changed"})");
}

TEST_F(PageApiTest, NewsOfJobsReachStreams) {
  const auto stream = send("/api/events", "GET", "", enter());
  JobEvent event;
  event.progress.job_id = "j-0000000001";
  event.progress.step = 3;
  api_.on_event(event);
  ASSERT_EQ(stream->events.size(), 2U);
  const auto news = json::parse(stream->events[1]);
  EXPECT_EQ(news["type"], "job");
  EXPECT_EQ(news["job"]["step"], 3);
}

TEST_F(PageApiTest, WhoLeavesBeforeTheAnswerCancels) {
  const auto exchange = begin(enter(), "kb.search", json::object());
  exchange->leave();
  bench_.run();
  EXPECT_FALSE(exchange->replied && exchange->status() == 200 &&
               json::parse(exchange->replied->body).contains("result"));
}

TEST_F(PageApiTest, LeavingEndsSessionAndStreams) {
  const std::string token = enter();
  const auto stream = send("/api/events", "GET", "", token);
  EXPECT_EQ(send("/api/logout", "POST", "{}", token)->status(), 204);
  EXPECT_TRUE(stream->ended);
  EXPECT_FALSE(api_.knows(token));
  EXPECT_EQ(begin(token, "status", json::object())->status(), 401);
}

TEST_F(PageApiTest, ASessionThatNobodyUsesEnds) {
  const std::string token = enter();
  now_ += kSessionLife + std::chrono::seconds(1);
  api_.sweep();
  EXPECT_FALSE(api_.knows(token));
}

TEST_F(PageApiTest, AnOpenPageUsesItsSession) {
  const std::string token = enter();
  const auto stream = send("/api/events", "GET", "", token);
  for (int i = 0; i < 3; ++i) {
    now_ += kSessionLife - std::chrono::seconds(1);
    api_.sweep();
    EXPECT_FALSE(stream->ended);
    EXPECT_TRUE(api_.knows(token));
  }
}

}  // namespace
}  // namespace warpmind::daemon::http
