#include "base/codec/json_guard.h"
#include "tests/transcript/daemon_process.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::tests {
namespace {

using nlohmann::json;

constexpr const char* kScripted = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr std::size_t kTenMegabytes = 10'000'000;
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string request(const std::string& method, const std::string& members) {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":{)" + std::string(kMeta) +
         (members.empty() ? "" : ",") + members + "}}\n";
}

std::string tool_call(const std::string& tool, const std::string& arguments) {
  return request("tools/call", R"("name":")" + tool + R"(","arguments":)" + arguments);
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// The complaint in an answer, of the protocol or of a tool; "" when there is none.
std::string complaint_in(const std::string& line) {
  const auto parsed = codec::parse_json(line);
  if (!parsed) return "";
  if (const auto error = parsed->find("error"); error != parsed->end()) {
    return error->value("message", "");
  }
  const auto result = parsed->find("result");
  if (result == parsed->end() || !result->value("isError", false)) return "";
  return (*result)["content"][0].value("text", "");
}

class HostileAgents : public testing::Test {
 protected:
  HostileAgents() : daemon_(home_.path(), {.program = kScripted}) {}

  void expect_served() {
    WireClient honest = WireClient::greeted(daemon_.socket());
    ASSERT_TRUE(honest.send(tool_call("device_info", "{}")));
    const auto line = honest.read_line();
    ASSERT_TRUE(line);
    EXPECT_EQ(complaint_in(*line), "");
    EXPECT_NE(line->find("\"structuredContent\""), std::string::npos);
  }
  [[nodiscard]] std::int64_t most_kib() const { return daemon_.memory_kib("VmHWM"); }

  ScratchDirectory home_ = DaemonProcess::make_home();
  DaemonProcess daemon_;
};

TEST_F(HostileAgents, OneThatNeverReadsIsDroppedAndCostsLittle) {
  expect_served();
  const std::int64_t before = most_kib();
  ASSERT_GT(before, 0);
  WireClient deaf = WireClient::greeted(daemon_.socket());
  const std::string line = request("tools/list", "");  // an answer of many kilobytes

  constexpr int kMany = 200'000;
  int sent = 0;
  while (sent < kMany && deaf.send(line)) ++sent;

  EXPECT_LT(sent, kMany) << "its answers would fill gigabytes";
  expect_served();
  EXPECT_LT(most_kib() - before, kMemoryBoundKib);
}

TEST_F(HostileAgents, ManyThatNeverReadAreHeldUpAlone) {
  std::vector<WireClient> deaf;
  const std::int64_t before = most_kib();
  for (int i = 0; i < 64; ++i) {
    deaf.push_back(WireClient::greeted(daemon_.socket()));
    for (int j = 0; j < 40; ++j) {
      if (!deaf.back().send(request("resources/templates/list", ""))) break;
    }
    expect_served();
  }
  EXPECT_LT(most_kib() - before, kMemoryBoundKib);
}

TEST_F(HostileAgents, TenMegabytesInAnArgumentAreOneSentence) {
  expect_served();
  const std::int64_t before = most_kib();
  const std::string much = '"' + std::string(kTenMegabytes, 'x') + '"';
  const std::array<std::pair<std::string, std::string>, 6> cases{
      {{"kernel_analyze", R"({"source":)" + much + "}"},
       {"kernel_optimize", R"({"mode":"submit","rationale":)" + much + "}"},
       {"kb_record", R"({"evidence":{"job":)" + much + R"(,"step":1},"claim":"c"})"},
       {"job", R"({"action":)" + much + "}"},
       {"kb_search", "{" + much + ":1}"},
       {"kb_get", R"({"id":)" + much + "}"}}};
  for (const auto& [tool, arguments] : cases) {
    WireClient client = WireClient::greeted(daemon_.socket());
    ASSERT_TRUE(client.send(tool_call(tool, arguments)));
    const auto line = client.read_line();
    ASSERT_TRUE(line) << tool;
    const std::string said = complaint_in(*line);
    EXPECT_TRUE(said.starts_with("argument '")) << tool << ": " << said.substr(0, 200);
    EXPECT_LT(said.size(), 400U) << tool;
    EXPECT_EQ(said.find('\n'), std::string::npos) << tool;
  }
  expect_served();
  EXPECT_LT(most_kib() - before, kMemoryBoundKib);
}

TEST_F(HostileAgents, WhatIsNoProperMessageGetsOneSentenceAndTheConnectionGoesOn) {
  const std::vector<std::string> cases{
      tool_call("kb_search", R"({"query":)" + nested(200'000) + "}"),
      tool_call("kb_search", nested(1'000'000)),
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + nested(65) + "}\n",
      tool_call("kb_search", "{\"query\":\"\xff\xfe\xc0\xaf\"}"),
      tool_call("kb_search", "{\"query\":\"cut \xe2\x82\"}"),
      tool_call("kb_search", "{\"\xed\xa0\x80\":1}"),
      request("tools/call\xff", ""),
      tool_call("kb_search", R"({"query":"\ud800"})"),
      tool_call("kb_search", "7"),
      tool_call("kb_search", R"(["query"])"),
      request("tools/call", R"("name":{"x":1})"),
      request("tools/call", R"("name":"kb_search\u0000")"),
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]})"
      "\n",
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":7,"name":"job"}})"
      "\n",
      request("resources/read", R"("uri":{"file":"/etc/passwd"})"),
      request("resources/read", R"("uri":"warpmind://kernel/../../etc/passwd")"),
      request("prompts/get", R"("name":"review-kernel","arguments":{"path":7})"),
      request("tasks/get", R"("taskId":"../j-0000000001")"),
      request("tasks/get", R"("taskId":1e308)"),
      request("tools/list", R"("cursor":"x")"),
      "[" + request("ping", "") + "]\n",
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\"\n",
  };
  WireClient client = WireClient::greeted(daemon_.socket());
  for (const auto& line : cases) {
    std::string one = line;
    std::replace(one.begin(), one.end() - 1, '\n', ' ');
    ASSERT_TRUE(client.send(one)) << one.substr(0, 120);
    const auto answer = client.read_line();
    ASSERT_TRUE(answer) << one.substr(0, 120);
    const std::string said = complaint_in(*answer);
    EXPECT_FALSE(said.empty()) << one.substr(0, 120) << "\n" << answer->substr(0, 300);
    EXPECT_LT(said.size(), 400U) << one.substr(0, 120);
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  ASSERT_TRUE(client.send(tool_call("device_info", "{}")));
  const auto answer = client.read_line();
  ASSERT_TRUE(answer);
  EXPECT_EQ(complaint_in(*answer), "");
}

TEST_F(HostileAgents, NotificationsThatMakeNoSenseAreLeftAlone) {
  WireClient client = WireClient::greeted(daemon_.socket());
  for (const char* params : {"[]", "{}", R"({"requestId":{}})", R"({"requestId":null})",
                             R"({"requestId":-1e300})", R"({"requestId":"nobody's"})", "7"}) {
    ASSERT_TRUE(client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" +
                            std::string(params) + "}\n"));
  }
  ASSERT_TRUE(client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of_nothing\"}\n"));
  ASSERT_TRUE(client.send(tool_call("device_info", "{}")));
  std::string last;
  while (const auto line = client.read_line()) {
    last = *line;
    if (last.find("structuredContent") != std::string::npos) break;
  }
  EXPECT_NE(last.find("structuredContent"), std::string::npos);
}

TEST_F(HostileAgents, CallsWithoutEndAreCutAtALimitOfTheConnection) {
  // Waiting for a job that does not end: nothing of it is answered before its time.
  WireClient client = WireClient::greeted(daemon_.socket());
  ASSERT_NE(client
                .call("task.submit", R"({"directory":")" WARPMIND_SOURCE_DIR
                                     R"(/tasks/row_softmax_f16","evaluations":0})")
                .find("j-0000000001"),
            std::string::npos);
  constexpr int kCalls = 500;
  for (int i = 0; i < kCalls; ++i) {
    std::string line = tool_call("job", R"({"action":"wait","job":"1"})");
    line.replace(line.find("\"id\":7"), 6, "\"id\":" + std::to_string(i));
    ASSERT_TRUE(client.send(line));
  }
  int refused = 0;
  while (refused < kCalls - 64) {
    const auto line = client.read_line();
    ASSERT_TRUE(line) << "after " << refused << " refusals";
    const std::string said = complaint_in(*line);
    ASSERT_NE(said.find("wait for an answer"), std::string::npos) << said;
    ++refused;
  }
  expect_served();
  ASSERT_NE(client.call("task.cancel", R"({"job_id":"j-0000000001"})").find("running"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmind::tests
