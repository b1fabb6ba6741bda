/// \file
/// HTTP as those see it who must not get in, and as clients of MCP do.

#include "tests/transcript/daemon_process.h"
#include "tests/transcript/http_client.h"

#include <csignal>
#include <filesystem>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr std::string_view kDiscover =
    R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{)"
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
constexpr std::string_view kDiscoverHeaders =
    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class HttpDoorTest : public testing::Test {
 protected:
  void start() {
    daemon_.emplace(home_.path(),
                    DaemonProcess::Options{.program = kProgram,
                                           .arguments = {"--set", "http.listen=127.0.0.1:0"}});
    place_ = HttpPlace::of(home_.path());
    ASSERT_NE(place_.port, 0);
  }
  void expect_honest_service() const {
    const auto answer = ask(place_.port, place_.post(kDiscover, kDiscoverHeaders));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_TRUE(contains(answer.body, "supportedVersions")) << answer.body;
  }
  std::string good() const { return place_.post(kDiscover, kDiscoverHeaders); }

  ScratchDirectory home_ = DaemonProcess::make_home();
  std::optional<DaemonProcess> daemon_;
  HttpPlace place_;
};

TEST_F(HttpDoorTest, IsOffUnlessAskedFor) {
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  EXPECT_EQ(HttpPlace::of(home_.path()).port, 0);
  EXPECT_FALSE(fs::exists(home_.path() / "state" / "http.token"));
}

TEST_F(HttpDoorTest, TokenIsForItsOwnerAloneAndStays) {
  start();
  struct stat status {};
  ASSERT_EQ(::stat((home_.path() / "state" / "http.token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(place_.token.size(), 64U);
  const std::string first = place_.token;
  daemon_->signal(SIGTERM);
  EXPECT_EQ(daemon_->wait(), 0);
  EXPECT_FALSE(fs::exists(home_.path() / "state" / "http.url"));
  start();
  EXPECT_EQ(place_.token, first);
}

TEST_F(HttpDoorTest, OtherAddressesAndOpenTokensAreRefusedAtTheStart) {
  const auto said = [&](const std::string& listen) {
    DaemonProcess daemon(home_.path(), {.program = kProgram,
                                        .arguments = {"--set", "http.listen=" + listen},
                                        .wait_until_ready = false});
    EXPECT_EQ(daemon.wait(), 2);
    return daemon.stderr_text();
  };
  EXPECT_TRUE(contains(said("0.0.0.0:7411"), "127.0.0.1 only"));
  start();
  daemon_->signal(SIGTERM);
  EXPECT_EQ(daemon_->wait(), 0);
  fs::permissions(home_.path() / "state" / "http.token", fs::perms::others_read,
                  fs::perm_options::add);
  EXPECT_TRUE(contains(said("127.0.0.1:0"), "could be read or changed by others"));
}

TEST_F(HttpDoorTest, HeadsThatMustNotPass) {
  start();
  const std::string port = std::to_string(place_.port);
  const std::string host = "Host: 127.0.0.1:" + port + "\r\n";
  const std::string bearer = "Authorization: Bearer " + place_.token + "\r\n";
  std::vector<std::pair<std::string, int>> cases;
  for (const std::string& name :
       {std::string("evil.example"), "evil.example:" + port, std::string("127.0.0.1"),
        std::string("localhost"), "127.0.0.1:1" + port, "localhost.evil.example:" + port,
        "127.0.0.1.nip.io:" + port, "127.1:" + port, "2130706433:" + port, "0.0.0.0:" + port,
        "[::ffff:127.0.0.1]:" + port, "user@127.0.0.1:" + port, "localhost.:" + port,
        std::string()}) {
    cases.emplace_back(with(good(), host, "Host: " + name + "\r\n"), 403);
  }
  cases.emplace_back(with(good(), host, ""), 403);
  cases.emplace_back(with(good(), host, host + "Host: evil.example\r\n"), 403);
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), "https://127.0.0.1:" + port,
        std::string("http://127.0.0.1"), "http://127.0.0.1:" + port + ".evil.example",
        "http://127.0.0.1.evil.example:" + port, "http://localhost:" + port + "@evil.example",
        std::string("file://"), std::string("*"), std::string("vscode-webview://x")}) {
    cases.emplace_back(with(good(), host, host + "Origin: " + origin + "\r\n"), 403);
  }
  for (const char* site : {"cross-site", "same-site"}) {
    cases.emplace_back(with(good(), host, host + "Sec-Fetch-Site: " + site + "\r\n"), 403);
  }
  for (const std::string& line :
       {std::string(), std::string("Authorization: Bearer\r\n"),
        "Authorization: Basic " + place_.token + "\r\n", "Authorization: " + place_.token + "\r\n",
        "Authorization: Bearer " + std::string(64, '0') + "\r\n",
        "Authorization: Bearer " + place_.token.substr(1) + "\r\n",
        "Authorization: Bearer " + place_.token + "0\r\n", bearer + bearer,
        "Cookie: token=" + place_.token + "\r\n",
        "Proxy-Authorization: Bearer " + place_.token + "\r\n"}) {
    cases.emplace_back(with(good(), bearer, line), 401);
  }
  cases.emplace_back(with(with(good(), bearer, ""), "/mcp", "/mcp?access_token=" + place_.token),
                     401);
  for (const char* target : {"/../../etc/passwd", "/mcp/../mcp", "/%2e%2e/%2e%2e/etc/passwd",
                             "/mcp%2f", "//mcp", "http://127.0.0.1/mcp", "mcp", "*", "/mcp\\"}) {
    cases.emplace_back(with(good(), "/mcp", target), 400);
  }
  for (const char* target : {"/nothing", "/mcp/", "/MCP", "/metric", "/sse", "/.git/config"}) {
    cases.emplace_back(with(good(), "/mcp", target), 404);
  }
  for (const char* method : {"PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "PROPFIND"}) {
    cases.emplace_back(with(good(), "POST", method), 405);
  }
  cases.emplace_back(with(good(), "POST", "CONNECT"), 405);
  cases.emplace_back(with(good(), "/mcp", "/"), 405);  // the dashboard's page, which is read
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}) {
    cases.emplace_back(with(good(), "application/json", type), 415);
  }
  cases.emplace_back(with(good(), "Content-Type: application/json\r\n", ""), 415);
  cases.emplace_back(with(good(), "HTTP/1.1", "HTTP/1.0"), 505);
  cases.emplace_back(with(good(), "HTTP/1.1", "HTTP/2.0"), 400);
  cases.emplace_back(with(good(), host, host + "Transfer-Encoding: chunked\r\n"), 400);
  cases.emplace_back(with(good(), host, host + "Transfer-Encoding: gzip\r\n"), 400);
  cases.emplace_back(with(good(), host, host + "Content-Length: 5\r\n"), 400);
  cases.emplace_back(with(good(), host, host + "X: " + std::string(20'000, 'a') + "\r\n"), 431);
  cases.emplace_back(with(good(), "Content-Length: ", "Content-Length: 9999999"), 413);
  cases.emplace_back("\x16\x03\x01\x02\n\r\n\r\n", 400);
  EXPECT_GE(cases.size(), 70U);
  for (const auto& [request, status] : cases) {
    const auto answer = ask(place_.port, request);
    EXPECT_EQ(answer.status, status) << request.substr(0, 400);
    EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
    EXPECT_FALSE(contains(answer.body, "supportedVersions"));
  }
  RecordProperty("cases", static_cast<int>(cases.size()));
  expect_honest_service();
}

// What two readers may read in two ways, and what only looks like the right thing.
TEST_F(HttpDoorTest, HeadsThatCanBeReadInTwoWays) {
  start();
  const std::string port = std::to_string(place_.port);
  const std::string host = "Host: 127.0.0.1:" + port + "\r\n";
  const std::string bearer = "Authorization: Bearer " + place_.token + "\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  const std::string length = "Content-Length: " + std::to_string(kDiscover.size());
  std::string flood;
  for (int i = 0; i < 2'000; ++i) flood += "X-" + std::to_string(i) + ": 1\r\n";
  std::string lines = good();
  while (lines.find("\r\n") != std::string::npos) lines.erase(lines.find("\r\n"), 1);
  std::vector<std::pair<std::string, int>> cases{
      {with(good(), "Host: ", "Host : "), 400},
      {with(good(), host, "Host: evil.example\r\n 127.0.0.1:" + port + "\r\n"), 403},
      {with(good(), host, with(host, "\r", " evil.example\r")), 403},
      {with(good(), host, "X-Forwarded-" + host + "Host: evil.example\r\n"), 403},
      {with(good(), host, "Forwarded: host=127.0.0.1\r\nHost: evil.example\r\n"), 403},
      {with(good(), host, host + "Origin: http://127.0.0.1:" + port + "\r\nOrigin: null\r\n"), 403},
      {with(good(), host, host + "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n"), 403},
      {with(good(), host, host + "Sec-Fetch-Site: CROSS-SITE\r\n"), 403},
      {with(good(), bearer, "Authorization: Bearer " + place_.token + ", Bearer x\r\n"), 401},
      {with(good(), bearer, "Authorization: Bearer  " + place_.token + "\r\n"), 401},
      {with(with(good(), bearer, ""), "/mcp", "/mcp#Bearer=" + place_.token), 401},
      {with(with(good(), bearer, ""), json, "Content-Type: application/x-www-form-urlencoded\r\n"),
       401},
      {with(good(), json, json + "Content-Type: text/plain\r\n"), 415},
      {with(good(), json, "Content-Type: application/json, text/plain\r\n"), 415},
      {with(good(), length, "Transfer-Encoding: gzip, chunked"), 501},
      {with(good(), length, "Transfer-Encoding: xchunked"), 501},
      {with(good(), length, "Transfer-Encoding: chunked, chunked"), 501},
      {with(good(), host, host + flood), 431},
      {std::move(lines), 400},
      {"GET /mcp\r\n\r\n", 400},
      {with(good(), "POST", "post"), 405},
      {with(good(), "/mcp", "/mcp /mcp"), 400},
      {with(good(), "/mcp", std::string("/mcp\0", 5)), 400},
      {with(good(), "/mcp", "/mcp\t"), 400},
      {with(good(), "/mcp", "http://evil.example/mcp"), 400},
      {with(good(), host, host + "no colon\r\n"), 400},
      {with(good(), host, host + ": no name\r\n"), 400},
      {with(good(), host, host + "X\xc3\xa9: 1\r\n"), 400},
      {with(good(), host, host + std::string("X: a\0b\r\n", 8)), 400},
      {with(good(), host, host + "X: a\rHost: evil.example\r\n"), 400}};
  for (const char* said : {"+5", "-1", "0x5", "5, 5", "5 5", "18446744073709551616", ""}) {
    cases.emplace_back(with(good(), length, "Content-Length: " + std::string(said)), 400);
  }
  for (const auto& [request, status] : cases) {
    const auto answer = ask(place_.port, request);
    EXPECT_EQ(answer.status, status) << request.substr(0, 400);
    EXPECT_FALSE(contains(answer.body, "supportedVersions"));
  }
  RecordProperty("cases", static_cast<int>(cases.size()));
  expect_honest_service();
}

TEST_F(HttpDoorTest, PageOfAnotherSiteCannotPreflight) {
  start();
  const auto answer =
      ask(place_.port, "OPTIONS /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(place_.port) +
                           "\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: "
                           "POST\r\nAccess-Control-Request-Headers: authorization\r\n\r\n");
  EXPECT_EQ(answer.status, 403);
  for (const auto& [name, value] : answer.headers)
    EXPECT_FALSE(name.starts_with("access-")) << name;
}

TEST_F(HttpDoorTest, BodiesThatAreNoMessage) {
  start();
  for (const std::string& body :
       {std::string("nonsense"), std::string("{"), std::string("[]"), std::string("null"),
        std::string(200'000, '['), R"({"a":)" + std::string(100'000, '{'), std::string("\xff\xfe"),
        std::string(R"({"jsonrpc":"1.0","id":1,"method":"x"})"),
        std::string(R"({"jsonrpc":"2.0","id":{},"method":"x"})")}) {
    const auto answer = ask(place_.port, place_.post(body, kDiscoverHeaders));
    EXPECT_EQ(answer.status, 400) << body.substr(0, 40);
    EXPECT_TRUE(contains(answer.body, "\"error\"")) << answer.body;
  }
  expect_honest_service();
}

TEST_F(HttpDoorTest, DaemonsOwnMethodsStayBehindTheSocket) {
  start();
  for (const char* method : {"status", "shutdown", "task.submit", "lsp.attach", "kb.add"}) {
    const auto bare = ask(place_.port, place_.post(R"({"jsonrpc":"2.0","id":1,"method":")" +
                                                   std::string(method) + "\"}"));
    EXPECT_EQ(bare.status, 400) << method;
    const auto modern = ask(
        place_.port, place_.post(with(std::string(kDiscover), "server/discover", method),
                                 with(std::string(kDiscoverHeaders), "server/discover", method)));
    EXPECT_EQ(modern.status, 404) << method;
  }
  expect_honest_service();
}

TEST_F(HttpDoorTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  HttpWire wire(place_.port);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    all += place_.post(with(std::string(kDiscover), "\"id\":1", "\"id\":" + std::to_string(i)),
                       kDiscoverHeaders);
  }
  ASSERT_TRUE(wire.send(all));
  for (int i = 0; i < 50; ++i) {
    const auto answer = wire.read_answer();
    ASSERT_TRUE(answer.has_value()) << i;
    EXPECT_TRUE(contains(answer->body, "\"id\":" + std::to_string(i) + ",")) << answer->body;
  }
}

// A second request hidden in what looks like the body of the first.
TEST_F(HttpDoorTest, SmuggledRequestIsNotServed) {
  start();
  const std::string hidden = place_.post(kInitialize);
  for (const std::string& disguise :
       {place_.head("POST") +
            "Content-Type: application/json\r\nContent-Length: 4\r\n"
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
            hidden,
        place_.head("POST") +
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" +
            hidden,
        place_.head("GET") + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + hidden}) {
    HttpWire wire(place_.port);
    (void)wire.send(disguise);
    const auto first = wire.read_answer();
    ASSERT_TRUE(first.has_value());
    EXPECT_GE(first->status, 400);
    EXPECT_FALSE(wire.read_answer().has_value());
  }
}

TEST_F(HttpDoorTest, CrowdThatSendsHalfRequestsIsCutAndHarmsNobody) {
  start();
  std::vector<HttpWire> crowd;
  for (int i = 0; i < 200; ++i) {
    crowd.emplace_back(place_.port);
    ASSERT_TRUE(crowd.back().send("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "));
  }
  expect_honest_service();
  for (auto& wire : crowd) {
    (void)wire.send("a");
    EXPECT_TRUE(wire.at_end());
  }
  expect_honest_service();
}

TEST_F(HttpDoorTest, ClientsThatNeverReadAreHeldUpAloneAndCostLittle) {
  start();
  expect_honest_service();
  const std::int64_t before = daemon_->memory_kib("VmHWM");
  ASSERT_GT(before, 0);
  const std::string list =
      place_.post(with(std::string(kDiscover), "server/discover", "tools/list"),
                  with(std::string(kDiscoverHeaders), "server/discover",
                       "tools/list"));  // an answer of many kilobytes
  std::vector<HttpWire> deaf;
  for (int i = 0; i < 24; ++i) {
    deaf.emplace_back(place_.port);
    // Until neither side's buffers take more: thousands of requests, whose answers nobody reads.
    constexpr int kMany = 100'000;
    int sent = 0;
    while (sent < kMany && ::send(deaf.back().fd(), list.data(), list.size(),
                                  MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(list.size()))
      ++sent;
    EXPECT_LT(sent, kMany);
    if (i % 8 == 0) expect_honest_service();
  }
  expect_honest_service();
  EXPECT_LT(daemon_->memory_kib("VmHWM") - before, kMemoryBoundKib);
}

TEST_F(HttpDoorTest, HealthIsSaidToEverybodyNearAndNothingElse) {
  start();
  const std::string host = "Host: 127.0.0.1:" + std::to_string(place_.port) + "\r\n";
  for (const std::string& path : {std::string("/healthz"), std::string("/readyz")}) {
    const auto answer = ask(place_.port, "GET " + path + " HTTP/1.1\r\n" + host + "\r\n");
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.body, "ok\n") << path;
    const auto foreign = ask(place_.port, "GET " + path + " HTTP/1.1\r\n" + host +
                                              "Origin: http://evil.example\r\n\r\n");
    EXPECT_EQ(foreign.status, 403) << path;
    const auto rebound =
        ask(place_.port, "GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    EXPECT_EQ(rebound.status, 403) << path;
    EXPECT_EQ(ask(place_.port, "POST " + path + " HTTP/1.1\r\n" + host + "\r\n").status, 401);
  }
}

TEST_F(HttpDoorTest, FiguresHaveATokenOfTheirOwnThatOpensNothingElse) {
  start();
  const auto file = home_.path() / "state" / "metrics.token";
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::string figures = read_file(file, 128).value();
  figures.pop_back();
  EXPECT_NE(figures, place_.token);
  const std::string host = "Host: 127.0.0.1:" + std::to_string(place_.port) + "\r\n";
  const auto get = [&](const std::string& token) {
    return ask(place_.port, "GET /metrics HTTP/1.1\r\n" + host +
                                (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") +
                                "\r\n");
  };

  EXPECT_EQ(get("").status, 401);
  EXPECT_EQ(get(std::string(64, '0')).status, 401);
  EXPECT_EQ(get(place_.token).status, 200);
  const auto answer = get(figures);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(contains(answer.headers.at("content-type"), "version=0.0.4"));
  for (const char* line :
       {"warpmind_build_info{version=", "warpmind_queue_depth 0",
        "warpmind_kb_entries{family=", "warpmind_rocksdb{figure=\"memtable_bytes\"}",
        "process_open_fds ", "warpmind_http_requests_total{path=\"/metrics\",status=\"401\"} 2"}) {
    EXPECT_TRUE(contains(answer.body, line)) << line << "\n" << answer.body;
  }
  EXPECT_FALSE(contains(answer.body, figures));
  EXPECT_FALSE(contains(answer.body, place_.token));
  const auto elsewhere = ask(place_.port, with(good(), place_.token, figures));
  EXPECT_EQ(elsewhere.status, 401) << "it reads figures, it does not work";
}

TEST_F(HttpDoorTest, SessionLivesFromInitializeToDelete) {
  start();
  HttpWire wire(place_.port);
  ASSERT_TRUE(wire.send(place_.post(kInitialize)));
  const auto opened = wire.read_answer();
  ASSERT_TRUE(opened && opened->status == 200);
  EXPECT_TRUE(contains(opened->body, "\"protocolVersion\":\"2025-11-25\""));
  const std::string session = "Mcp-Session-Id: " + opened->headers.at("mcp-session-id") +
                              "\r\nMCP-Protocol-Version: 2025-11-25\r\n";
  ASSERT_TRUE(
      wire.send(place_.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session)));
  EXPECT_EQ(wire.read_answer().value_or(HttpAnswer{}).status, 202);
  const std::string call =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"device_info"}})";
  ASSERT_TRUE(wire.send(place_.post(call, session)));
  EXPECT_TRUE(contains(wire.read_answer().value_or(HttpAnswer{}).body, "structuredContent"));
  HttpWire stream(place_.port);
  ASSERT_TRUE(stream.send(place_.head("GET", session + "Accept: text/event-stream\r\n\r\n")));
  EXPECT_EQ(stream.read_head().value_or(HttpAnswer{}).headers["content-type"], "text/event-stream");
  ASSERT_TRUE(wire.send(place_.head("DELETE", session + "\r\n")));
  EXPECT_EQ(wire.read_head().value_or(HttpAnswer{}).status, 204);
  EXPECT_EQ(stream.read_event(), std::nullopt);
  ASSERT_TRUE(wire.send(place_.post(call, session)));
  EXPECT_EQ(wire.read_answer().value_or(HttpAnswer{}).status, 404);
}

TEST_F(HttpDoorTest, SubscriptionStreamsUntilTheDaemonStops) {
  start();
  HttpWire wire(place_.port);
  std::string listen = with(std::string(kDiscover), "server/discover", "subscriptions/listen");
  listen = with(listen, R"("params":{)",
                R"("params":{"notifications":{"resourceSubscriptions":["warpmind://run/7"]},)");
  ASSERT_TRUE(wire.send(place_.post(
      listen, with(std::string(kDiscoverHeaders), "server/discover", "subscriptions/listen"))));
  ASSERT_TRUE(wire.read_head().has_value());
  EXPECT_TRUE(contains(wire.read_event().value_or(""), "notifications/subscriptions/acknowledged"));
  daemon_->signal(SIGTERM);
  EXPECT_EQ(wire.read_event(), std::nullopt);
  EXPECT_EQ(daemon_->wait(), 0);
}

}  // namespace
}  // namespace warpmind::tests
