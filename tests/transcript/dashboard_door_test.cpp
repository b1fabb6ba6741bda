/// \file
/// The dashboard's way in, as a browser and as others come along it.

#include "tests/transcript/daemon_process.h"
#include "tests/transcript/http_client.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr const char* kTask = WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16";
constexpr std::string_view kChanged = R"({"type":"changed"})";
constexpr std::string_view kStatus = R"({"jsonrpc":"2.0","id":1,"method":"status"})";

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Between two texts; empty when they are not there.
std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const auto begin = text.find(from);
  if (begin == std::string::npos) return {};
  const auto end = text.find(to, begin + from.size());
  return text.substr(begin + from.size(), end - begin - from.size());
}

struct Address {
  std::uint16_t port = 0;
  std::string code;
};

class DashboardDoorTest : public testing::Test {
 protected:
  void start(std::vector<std::string> arguments = {}) {
    daemon_.reset();
    daemon_.emplace(home_.path(),
                    DaemonProcess::Options{.program = kProgram, .arguments = std::move(arguments)});
  }
  Address open() {
    auto client = WireClient::greeted(daemon_->socket());
    const std::string answer = client.call("dashboard.open");
    const std::string port = between(answer, "http://127.0.0.1:", "/login#code=");
    address_.port = static_cast<std::uint16_t>(std::strtoul(port.c_str(), nullptr, 10));
    address_.code = between(answer, "#code=", "\"");
    EXPECT_EQ(address_.code.size(), 64U) << answer;
    return address_;
  }
  std::string head(std::string_view start_line, std::string_view token = {}) const {
    std::string text(start_line);
    text += " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(address_.port) + "\r\n";
    if (!token.empty()) text += "Authorization: Bearer " + std::string(token) + "\r\n";
    return text;
  }
  HttpAnswer get(std::string_view path, std::string_view more = "Accept-Encoding: gzip\r\n") const {
    return ask(address_.port, head("GET " + std::string(path)) + std::string(more) + "\r\n");
  }
  HttpAnswer post(std::string_view path, const std::string& body, std::string_view token = {},
                  std::string_view more = {}) const {
    return ask(address_.port, head("POST " + std::string(path), token) + std::string(more) +
                                  "Content-Type: application/json\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string enter() {
    const auto answer = post("/api/login", R"({"code":")" + open().code + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return between(answer.body, R"("token":")", "\"");
  }
  /// A stream of events whose head was read.
  HttpWire listen(std::string_view token, const std::string& last_id = {}) const {
    HttpWire wire(address_.port);
    const std::string more = last_id.empty() ? "" : "Last-Event-ID: " + last_id + "\r\n";
    EXPECT_TRUE(wire.send(head("GET /api/events", token) + more + "\r\n"));
    const auto answer = wire.read_head();
    EXPECT_TRUE(answer && answer->status == 200);
    return wire;
  }
  /// Runs a job of two steps to its end.
  void run_job() const {
    auto client = WireClient::greeted(daemon_->socket());
    ASSERT_TRUE(contains(client.call("task.submit", R"({"directory":")" + std::string(kTask) +
                                                        R"(","evaluations":2,"watch":true})"),
                         "job_id"));
    for (auto line = client.read_line(); line; line = client.read_line()) {
      if (contains(*line, R"("state":"done")")) return;
    }
    FAIL() << "the job did not end";
  }

  ScratchDirectory home_ = DaemonProcess::make_home();
  std::optional<DaemonProcess> daemon_;
  Address address_;
};

TEST_F(DashboardDoorTest, OpensAPortForThePageAloneWhenAsked) {
  start();
  const auto address = open();
  ASSERT_NE(address.port, 0);
  EXPECT_FALSE(fs::exists(home_.path() / "state" / "http.url")) << "MCP is not served";
  const auto page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-encoding"), "gzip");
  EXPECT_TRUE(contains(page.headers.at("content-security-policy"), "default-src 'self'"));
  EXPECT_EQ(get("/login").body, page.body);
  const std::string known =
      "Accept-Encoding: gzip\r\nIf-None-Match: " + page.headers.at("etag") + "\r\n";
  const auto again = get("/", known);
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(post("/mcp", "{}").status, 401);
  EXPECT_EQ(open().port, address.port) << "one port for all pages";
}

TEST_F(DashboardDoorTest, IsOnThePortOfMcpWhereThatIsServed) {
  start({"--set", "http.listen=127.0.0.1:0"});
  const auto place = HttpPlace::of(home_.path());
  EXPECT_EQ(open().port, place.port);
  EXPECT_EQ(post("/api/rpc", std::string(kStatus), place.token).status, 401)
      << "the token of programs is none of the page's";
  const std::string session = enter();
  EXPECT_EQ(post("/api/rpc", std::string(kStatus), session).status, 200);
  EXPECT_EQ(post("/mcp", "{}", session).status, 401) << "nor the other way round";
}

TEST_F(DashboardDoorTest, ACodeLetsOneBrowserIn) {
  start();
  const std::string code = open().code;
  const std::string body = R"({"code":")" + code + "\"}";
  EXPECT_EQ(post("/api/login", R"({"code":")" + std::string(64, '0') + "\"}").status, 403);
  const auto first = post("/api/login", body);
  ASSERT_EQ(first.status, 200);
  EXPECT_EQ(first.headers.count("set-cookie"), 0U);
  const auto second = post("/api/login", body);
  EXPECT_EQ(second.status, 403);
  EXPECT_TRUE(contains(second.body, "warpmind dashboard")) << second.body;
  const std::string session = between(first.body, R"("token":")", "\"");
  EXPECT_TRUE(contains(post("/api/rpc", std::string(kStatus), session).body, R"("mode":)"));
  EXPECT_EQ(post("/api/rpc", std::string(kStatus), code).status, 401);
  EXPECT_EQ(post("/api/logout", "{}", session).status, 204);
  EXPECT_EQ(post("/api/rpc", std::string(kStatus), session).status, 401);
}

TEST_F(DashboardDoorTest, StrangersStayOutside) {
  start();
  const std::string session = enter();
  const std::string rpc(kStatus);
  EXPECT_EQ(post("/api/rpc", rpc).status, 401);
  EXPECT_EQ(get("/api/events", "").status, 401);
  const std::string own = "http://127.0.0.1:" + std::to_string(address_.port);
  EXPECT_EQ(post("/api/rpc", rpc, session, "Origin: " + own + "\r\n").status, 200);
  for (const char* foreign : {"Origin: http://evil.example\r\n", "Origin: null\r\n",
                              "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"}) {
    EXPECT_EQ(post("/api/rpc", rpc, session, foreign).status, 403) << foreign;
    EXPECT_EQ(post("/api/login", R"({"code":"x"})", {}, foreign).status, 403) << foreign;
    EXPECT_EQ(get("/", std::string("Accept-Encoding: gzip\r\n") + foreign).status, 403) << foreign;
  }
  EXPECT_EQ(ask(address_.port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(ask(address_.port, head("POST /api/login") + "Content-Type: text/plain\r\n"
                                                         "Content-Length: 2\r\n\r\n{}")
                .status,
            415);
  EXPECT_EQ(get("/../etc/passwd").status, 400);
  EXPECT_EQ(get("/assets/").status, 401);
}

TEST_F(DashboardDoorTest, ThePageMayNotDoWhatIsNotOnItsList) {
  start();
  const std::string session = enter();
  for (const char* method : {"shutdown", "task.submit", "dashboard.open", "kb.import", "queue.add",
                             "kb.restore", "program_task.check", "lsp.attach"}) {
    const auto answer = post(
        "/api/rpc", R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}", session);
    EXPECT_EQ(answer.status, 403) << method;
    EXPECT_TRUE(contains(answer.body, "the dashboard may not")) << answer.body;
  }
}

TEST_F(DashboardDoorTest, EventsAreTakenUpWhereTheStreamBroke) {
  start();
  const std::string session = enter();
  std::string seen;
  {
    auto stream = listen(session);
    EXPECT_EQ(stream.read_event(), R"({"type":"open"})");
    seen = stream.event_id();
  }
  run_job();
  std::vector<std::string> events;
  auto stream = listen(session, seen);
  while (const auto event = stream.read_event()) {
    EXPECT_NE(stream.event_id(), seen);
    events.push_back(*event);
    if (contains(*event, R"("state":"done")")) break;
  }
  ASSERT_GE(events.size(), 3U);
  EXPECT_TRUE(contains(events.back(), R"("type":"job")")) << events.back();
  auto last = listen(session, stream.event_id());
  run_job();
  auto next = last.read_event();
  while (next && *next == kChanged) next = last.read_event();
  ASSERT_TRUE(next.has_value());
  EXPECT_TRUE(contains(*next, "j-0000000002")) << *next;
}

TEST_F(DashboardDoorTest, WhatAnyClientChangesIsNews) {
  start();
  auto stream = listen(enter());
  ASSERT_EQ(stream.read_event(), R"({"type":"open"})");
  auto client = WireClient::greeted(daemon_->socket());
  const std::string later = R"({"directory":")" + std::string(kTask) +
                            R"(","evaluations":1,"not_before":32503680000000})";
  const std::vector<std::pair<std::string, std::string>> orders{
      {"queue.rules", R"({"quiet_hours":"03:00-03:30"})"},
      {"queue.add", later},
      {"queue.move", R"({"job_id":"j-0000000001","priority":5})"},
      {"queue.pause", R"({"job_ids":["j-0000000001"]})"},
      {"queue.cancel", R"({"job_ids":["j-0000000001"]})"},
      {"kb.add", R"({"claim":"Smurfs make kernels faster","techniques":["unroll"]})"}};
  for (const auto& [method, params] : orders) {
    const std::string answer = client.call(method, params);
    ASSERT_TRUE(contains(answer, R"("result")")) << method << ": " << answer;
    auto event = stream.read_event();
    while (event && *event != kChanged) event = stream.read_event();
    EXPECT_TRUE(event.has_value()) << method;
  }
}

TEST_F(DashboardDoorTest, AnotherRunOfTheDaemonMeansLookAnew) {
  start();
  std::string seen;
  {
    auto stream = listen(enter());
    EXPECT_TRUE(stream.read_event().has_value());
    seen = stream.event_id();
  }
  daemon_->signal(SIGTERM);
  EXPECT_EQ(daemon_->wait(), 0);
  start();
  auto stream = listen(enter(), seen);
  EXPECT_EQ(stream.read_event(), R"({"type":"reset"})");
}

TEST_F(DashboardDoorTest, AnOpenPageDoesNotKeepTheDaemonFromStopping) {
  start();
  auto stream = listen(enter());
  EXPECT_TRUE(stream.read_event().has_value());
  daemon_->signal(SIGTERM);
  EXPECT_EQ(daemon_->wait(), 0);
  EXPECT_FALSE(stream.read_event().has_value());
}

}  // namespace
}  // namespace warpmind::tests
