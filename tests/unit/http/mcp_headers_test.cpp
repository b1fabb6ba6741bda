#include "daemon/http/mcp_headers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::http {
namespace {

using nlohmann::json;

protocol::Message message_of(const std::string& method, json params) {
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", json::object()}};
  const json line{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  return protocol::parse_message(line.dump());
}

TEST(McpHeadersTest, AcceptNamesTheForms) {
  const auto accepts = [](const std::string& value) {
    const auto accepted = accepted_by({"POST", "/mcp", 11, {{"accept", value}}});
    return std::pair(accepted.json, accepted.events);
  };
  EXPECT_EQ(accepts("application/json, text/event-stream"), std::pair(true, true));
  EXPECT_EQ(accepts("text/event-stream"), std::pair(false, true));
  EXPECT_EQ(accepts("application/json;q=0.9"), std::pair(true, false));
  EXPECT_EQ(accepts("*/*"), std::pair(true, true));
  EXPECT_EQ(accepts("text/html,image/png"), std::pair(false, false));
  EXPECT_TRUE(accepted_by({"POST", "/mcp"}).json);
}

TEST(McpHeadersTest, WrappedValuesAreDecoded) {
  EXPECT_EQ(header_text("plain"), "plain");
  EXPECT_EQ(header_text("  plain \t"), "plain");
  EXPECT_EQ(header_text("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(header_text("=?base64?4oKs?="), "\xe2\x82\xac");
  EXPECT_EQ(header_text(std::string("=?base64?") + "?="), "");
  EXPECT_EQ(header_text("=?base64?SGVsbG8?="), std::nullopt);
  EXPECT_EQ(header_text("=?base64?SGVs!G8=?="), std::nullopt);
  EXPECT_EQ(header_text("SGVsbG8="), "SGVsbG8=");
}

TEST(McpHeadersTest, HeadersMustSayWhatTheMessageSays) {
  const auto code = [](const protocol::Message& message, std::vector<HttpHeader> headers) {
    const auto wrong = header_mismatch({"POST", "/mcp", 11, std::move(headers)}, message);
    return wrong ? wrong->code : 0;
  };
  const auto list = message_of("tools/list", json::object());
  const HttpHeader version{"mcp-protocol-version", "2026-07-28"};
  EXPECT_EQ(code(list, {version, {"mcp-method", "tools/list"}}), 0);
  EXPECT_EQ(code(list, {version}), -32020);
  EXPECT_EQ(code(list, {{"mcp-method", "tools/list"}}), -32020);
  EXPECT_EQ(code(list, {version, {"mcp-method", "TOOLS/LIST"}}), -32020);
  EXPECT_EQ(code(list, {{"mcp-protocol-version", "2025-11-25"}, {"mcp-method", "tools/list"}}),
            -32020);
  EXPECT_EQ(code(list, {version, version, {"mcp-method", "tools/list"}}), -32020);
  const auto call = message_of("tools/call", {{"name", "job"}});
  EXPECT_EQ(code(call, {version, {"mcp-method", "tools/call"}, {"mcp-name", "job"}}), 0);
  EXPECT_EQ(code(call, {version, {"mcp-method", "tools/call"}, {"mcp-name", "=?base64?am9i?="}}),
            0);
  EXPECT_EQ(code(call, {version, {"mcp-method", "tools/call"}}), -32020);
  EXPECT_EQ(code(call, {version, {"mcp-method", "tools/call"}, {"mcp-name", "other"}}), -32020);
  const auto read = message_of("resources/read", {{"uri", "warpmind://run/7"}});
  EXPECT_EQ(
      code(read, {version, {"mcp-method", "resources/read"}, {"mcp-name", "warpmind://run/8"}}),
      -32020);
  const auto task = message_of("tasks/get", {{"taskId", "j-1"}});
  EXPECT_EQ(code(task, {version, {"mcp-method", "tasks/get"}, {"mcp-name", "j-1"}}), 0);
}

}  // namespace
}  // namespace warpmind::daemon::http
