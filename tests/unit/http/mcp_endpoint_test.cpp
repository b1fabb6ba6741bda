#include "daemon/http/mcp_endpoint.h"

#include "daemon/http/connection_fork.h"
#include "daemon/protocol/knowledge_messages.h"
#include "tests/unit/http/fake_exchange.h"
#include "tests/unit/mcp/mcp_client.h"

#include <deque>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

using nlohmann::json;
using Pointer = std::shared_ptr<FakeExchange>;

class McpEndpointTest : public testing::Test {
 protected:
  McpEndpointTest() {
    bench_.connections.relay = &endpoint_;
    bench_.dispatcher.add<protocol::KbSearchParams, RetrievalAnswer>(
        "kb.search", Execution::pool,
        [this](const auto&, RequestContext& context) -> Result<RetrievalAnswer> {
          ++searches_;
          if (context.stop.stop_requested()) ++stopped_;
          return RetrievalAnswer{};
        });
    bench_.dispatcher.add<protocol::Empty, protocol::StatusResult>(
        "status", Execution::inline_io,
        [](const auto&, RequestContext&) -> Result<protocol::StatusResult> {
          protocol::StatusResult status;
          status.mode = "sim";
          return status;
        });
  }

  void run() {
    bench_.run();
    while (!deferred_.empty()) {
      auto task = std::move(deferred_.front());
      deferred_.pop_front();
      task();
      bench_.run();
    }
  }

  static json request(const std::string& method, json params = json::object(), json id = 1) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  }
  /// Not run yet.
  Pointer post(const json& message, std::vector<HttpHeader> headers) {
    auto exchange = std::make_shared<FakeExchange>(
        HttpRequest{"POST", "/mcp", 11, std::move(headers), message.dump()});
    endpoint_.post(exchange);
    return exchange;
  }
  Pointer modern(const std::string& method, json params = json::object(),
                 json meta = json::object(), std::vector<HttpHeader> more = {}) {
    json all = mcp::McpBench::modern_meta();
    all.update(meta);
    params["_meta"] = all;
    std::vector<HttpHeader> headers{{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", method}};
    if (params.contains("name")) headers.push_back({"mcp-name", params["name"]});
    if (params.contains("uri")) headers.push_back({"mcp-name", params["uri"]});
    headers.insert(headers.end(), more.begin(), more.end());
    return post(request(method, params), headers);
  }
  Pointer search(json meta = json::object(), std::vector<HttpHeader> more = {}) {
    return modern("tools/call", {{"name", "kb_search"}, {"arguments", {{"query", "x"}}}},
                  std::move(meta), std::move(more));
  }
  /// Opens a session; its name.
  std::string shake_hands(const std::string& revision = "2025-11-25") {
    const auto exchange = post(request("initialize", {{"protocolVersion", revision}}), {});
    run();
    EXPECT_EQ(exchange->status(), 200);
    EXPECT_EQ(exchange->replied->headers.at(0).name, "Mcp-Session-Id");
    return exchange->replied->headers.at(0).value;
  }
  Pointer in_session(const std::string& session, const json& message,
                     std::vector<HttpHeader> more = {}) {
    more.push_back({"mcp-session-id", session});
    return post(message, std::move(more));
  }
  static json body(const Pointer& exchange) {
    return exchange->replied ? json::parse(exchange->replied->body, nullptr, false) : json();
  }
  static json search_call(json id = 1, json meta = json::object()) {
    return request("tools/call",
                   {{"name", "kb_search"}, {"arguments", {{"query", "x"}}}, {"_meta", meta}},
                   std::move(id));
  }

  mcp::McpBench bench_;
  std::deque<std::function<void()>> deferred_;
  McpEndpoint endpoint_{bench_.mcp, bench_.rpc, [this](auto task) { deferred_.push_back(task); }};
  int searches_ = 0;
  int stopped_ = 0;
};

TEST_F(McpEndpointTest, RequestIsAnsweredAsJson) {
  const auto exchange = modern("tools/list");
  run();
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->replied->content_type, "application/json");
  EXPECT_EQ(body(exchange)["id"], 1);
  EXPECT_EQ(body(exchange)["result"]["tools"].size(), 9U);
  EXPECT_EQ(endpoint_.count(), 0U);
}

TEST_F(McpEndpointTest, SameIdsOfTwoRequestsDoNotMeet) {
  const auto first = search();
  const auto second = search();
  run();
  EXPECT_EQ(body(first)["id"], 1);
  EXPECT_TRUE(body(first).contains("result"));
  EXPECT_TRUE(body(second).contains("result"));
}

TEST_F(McpEndpointTest, WhoTakesEventsAloneGetsThem) {
  const auto exchange =
      modern("tools/list", json::object(), json::object(), {{"accept", "text/event-stream"}});
  run();
  EXPECT_TRUE(exchange->streaming);
  EXPECT_TRUE(exchange->ended);
  ASSERT_EQ(exchange->events.size(), 1U);
  EXPECT_EQ(json::parse(exchange->events[0])["id"], 1);
}

TEST_F(McpEndpointTest, WhoTakesNeitherFormIsToldSo) {
  EXPECT_EQ(
      modern("tools/list", json::object(), json::object(), {{"accept", "text/html"}})->status(),
      406);
}

TEST_F(McpEndpointTest, ProgressOpensTheStreamOfItsRequest) {
  const auto exchange = search({{"progressToken", "p"}});
  bench_.pass(std::chrono::milliseconds(15'000));  // a sign of life
  run();
  ASSERT_EQ(exchange->events.size(), 2U);
  EXPECT_EQ(json::parse(exchange->events[0])["method"], "notifications/progress");
  EXPECT_EQ(json::parse(exchange->events[0])["params"]["progressToken"], "p");
  EXPECT_TRUE(json::parse(exchange->events[1]).contains("result"));
  EXPECT_TRUE(exchange->ended);
}

TEST_F(McpEndpointTest, WhoTakesJsonAloneGetsNoProgress) {
  const auto exchange = search({{"progressToken", 5}}, {{"accept", "application/json"}});
  bench_.pass(std::chrono::milliseconds(15'000));
  run();
  EXPECT_TRUE(exchange->events.empty());
  EXPECT_EQ(exchange->status(), 200);
}

TEST_F(McpEndpointTest, LeavingCancels) {
  const auto exchange = search();
  exchange->leave();
  run();
  EXPECT_EQ(exchange->status(), 0);
  EXPECT_EQ(searches_, 0);  // it had not begun
  EXPECT_EQ(endpoint_.count(), 0U);
}

TEST_F(McpEndpointTest, LateWorkOutlivesItsRequest) {
  const auto exchange = search();
  bench_.pass(std::chrono::milliseconds(40'000));  // longer than a client waits
  while (!deferred_.empty()) {
    auto task = std::move(deferred_.front());
    deferred_.pop_front();
    task();
  }
  const std::string handle = body(exchange)["result"]["structuredContent"]["handle"];
  endpoint_.sweep(std::chrono::steady_clock::now());
  run();
  EXPECT_EQ(searches_, 1);
  const auto asked = modern(
      "tools/call", {{"name", "job"}, {"arguments", {{"action", "result"}, {"job", handle}}}});
  run();
  EXPECT_TRUE(body(asked)["result"]["structuredContent"].contains("insights")) << body(asked);
  endpoint_.sweep(std::chrono::steady_clock::now());
}

TEST_F(McpEndpointTest, HeadersThatSayOtherThingsAreRefused) {
  json params{{"_meta", mcp::McpBench::modern_meta()}};
  const auto mismatch = post(request("tools/list", params),
                             {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "ping"}});
  EXPECT_EQ(mismatch->status(), 400);
  EXPECT_EQ(body(mismatch)["error"]["code"], -32020);
  EXPECT_EQ(body(mismatch)["id"], 1);
}

TEST_F(McpEndpointTest, ErrorsHaveTheirStatus) {
  const auto unknown = modern("nothing/here");
  const auto removed = modern("ping");
  run();
  EXPECT_EQ(unknown->status(), 404);
  EXPECT_EQ(body(unknown)["error"]["code"], -32601);
  EXPECT_EQ(removed->status(), 404);
  const auto bare = post(request("server/discover"), {{"mcp-protocol-version", "2026-07-28"},
                                                      {"mcp-method", "server/discover"}});
  EXPECT_EQ(bare->status(), 400);
  EXPECT_EQ(body(bare)["error"]["code"], -32602);
  const std::string key = "io.modelcontextprotocol/protocolVersion";
  json other = mcp::McpBench::modern_meta();
  other[key] = "v999";
  const auto version = post(request("tools/list", {{"_meta", other}}),
                            {{"mcp-protocol-version", "v999"}, {"mcp-method", "tools/list"}});
  EXPECT_EQ(version->status(), 400);
  EXPECT_EQ(body(version)["error"]["code"], -32022);
}

TEST_F(McpEndpointTest, WhatIsNoMessageIsRefused) {
  const auto raw = [&](std::string text) {
    auto exchange =
        std::make_shared<FakeExchange>(HttpRequest{"POST", "/mcp", 11, {}, std::move(text)});
    endpoint_.post(exchange);
    return exchange;
  };
  EXPECT_EQ(raw("")->status(), 400);
  EXPECT_EQ(raw("{\"jsonrpc\":")->status(), 400);
  EXPECT_EQ(body(raw("nonsense"))["error"]["code"], -32700);
  EXPECT_EQ(body(raw("[]"))["error"]["code"], -32600);
  EXPECT_EQ(raw(std::string(100'000, '['))->status(), 400);
}

TEST_F(McpEndpointTest, DaemonsOwnMethodsAreNotServed) {
  EXPECT_EQ(post(request("status"), {})->status(), 400);
  const auto session = shake_hands();
  for (const char* method : {"status", "shutdown", "task.submit", "lsp.attach"}) {
    const auto exchange = in_session(session, request(method));
    run();
    EXPECT_EQ(body(exchange)["error"]["code"], -32601) << method;
    const auto own = modern(method);
    run();
    EXPECT_EQ(own->status(), 404) << method;
  }
}

TEST_F(McpEndpointTest, SessionServesItsRequests) {
  const auto session = shake_hands("2025-06-18");
  EXPECT_EQ(
      in_session(session, {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}})->status(),
      202);
  const auto first = in_session(session, search_call(1));
  const auto second = in_session(session, search_call("two"));
  run();
  EXPECT_EQ(body(first)["id"], 1);
  EXPECT_EQ(body(second)["id"], "two");
  const auto ping = in_session(session, request("ping", json::object(), 3),
                               {{"mcp-protocol-version", "2025-06-18"}});
  EXPECT_EQ(body(ping)["result"], json::object());
}

TEST_F(McpEndpointTest, SessionIsNamedAndOfOneRevision) {
  const auto session = shake_hands("2025-06-18");
  EXPECT_EQ(post(request("tools/list"), {})->status(), 400);
  EXPECT_EQ(in_session("0123", request("tools/list"))->status(), 404);
  for (const char* version : {"2025-11-25", "1900-01-01", "x"}) {
    EXPECT_EQ(
        in_session(session, request("tools/list"), {{"mcp-protocol-version", version}})->status(),
        400)
        << version;
  }
  EXPECT_NE(session, shake_hands());
}

TEST_F(McpEndpointTest, IdInUseIsRefused) {
  const auto session = shake_hands();
  const auto first = in_session(session, search_call(7));
  const auto second = in_session(session, search_call(7));
  EXPECT_EQ(second->status(), 400);
  run();
  EXPECT_EQ(first->status(), 200);
}

TEST_F(McpEndpointTest, CancelledCallIsAnsweredAsSuch) {
  const auto session = shake_hands();
  const auto call = in_session(session, search_call("a"));
  (void)in_session(session, {{"jsonrpc", "2.0"},
                             {"method", "notifications/cancelled"},
                             {"params", {{"requestId", "a"}}}});
  EXPECT_EQ(body(call)["id"], "a");
  EXPECT_TRUE(body(call).contains("error"));
  run();
  EXPECT_EQ(searches_, 0);
}

TEST_F(McpEndpointTest, ProgressGoesToTheRequestThatAsked) {
  const auto session = shake_hands();
  const auto plain = in_session(session, search_call(1));
  const auto asking = in_session(session, search_call(2, {{"progressToken", 9}}));
  bench_.pass(std::chrono::milliseconds(15'000));
  run();
  EXPECT_FALSE(plain->streaming);
  EXPECT_EQ(asking->events.size(), 2U);
}

TEST_F(McpEndpointTest, DeletedSessionIsGone) {
  const auto session = shake_hands();
  const auto waiting = in_session(session, search_call());
  auto stream =
      std::make_shared<FakeExchange>(HttpRequest{"GET", "/mcp", 11, {{"mcp-session-id", session}}});
  endpoint_.get(stream);
  EXPECT_TRUE(stream->streaming);
  auto remove = std::make_shared<FakeExchange>(
      HttpRequest{"DELETE", "/mcp", 11, {{"mcp-session-id", session}}});
  endpoint_.remove(remove);
  EXPECT_EQ(remove->status(), 204);
  EXPECT_TRUE(stream->ended);
  EXPECT_EQ(waiting->status(), 404);
  EXPECT_EQ(in_session(session, request("ping"))->status(), 404);
  run();
  EXPECT_EQ(endpoint_.count(), 0U);
}

TEST_F(McpEndpointTest, GetAndDeleteNeedASession) {
  for (const auto method : {&McpEndpoint::get, &McpEndpoint::remove}) {
    auto bare = std::make_shared<FakeExchange>(HttpRequest{"GET", "/mcp"});
    (endpoint_.*method)(bare);
    EXPECT_EQ(bare->status(), 405);
    EXPECT_EQ(bare->replied->headers.at(0).value, "POST");
    auto unknown =
        std::make_shared<FakeExchange>(HttpRequest{"GET", "/mcp", 11, {{"mcp-session-id", "0"}}});
    (endpoint_.*method)(unknown);
    EXPECT_EQ(unknown->status(), 404);
  }
}

TEST_F(McpEndpointTest, SilentSessionIsForgotten) {
  const auto session = shake_hands();
  const auto now = std::chrono::steady_clock::now();
  endpoint_.sweep(now + std::chrono::minutes(59));
  EXPECT_EQ(in_session(session, request("ping"))->status(), 200);
  endpoint_.sweep(now + std::chrono::minutes(62));
  EXPECT_EQ(in_session(session, request("ping"))->status(), 404);
}

TEST_F(McpEndpointTest, OldSessionsMakeRoom) {
  const auto first = shake_hands();
  for (int i = 0; i < 256; ++i) (void)shake_hands();
  EXPECT_EQ(endpoint_.count(), 256U);
  EXPECT_EQ(in_session(first, request("ping"))->status(), 404);
}

TEST_F(McpEndpointTest, ListeningEndsWithItsConnection) {
  const auto exchange =
      modern("subscriptions/listen",
             {{"notifications", {{"resourceSubscriptions", {"warpmind://run/j-0000000007"}}}}});
  run();
  ASSERT_EQ(exchange->events.size(), 1U);
  EXPECT_EQ(json::parse(exchange->events[0])["method"], "notifications/subscriptions/acknowledged");
  JobEvent event;
  event.progress.job_id = "j-0000000007";
  bench_.mcp.on_event(event);
  EXPECT_EQ(exchange->events.size(), 2U);
  exchange->leave();
  bench_.mcp.on_event(event);
  EXPECT_EQ(exchange->events.size(), 2U);
}

TEST_F(McpEndpointTest, WordsOfOneSideStandInTheIdOfTheOther) {
  const json id = R"(a","result":{},"error":)";
  const auto session = shake_hands();
  const auto exchange = in_session(session, request("ping", json::object(), id));
  EXPECT_EQ(body(exchange)["id"], id);
}

}  // namespace
}  // namespace warpmind::daemon::http
