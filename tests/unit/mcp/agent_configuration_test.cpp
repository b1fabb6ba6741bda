#include "clients/cli/agent_configuration.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::clients {
namespace {

using nlohmann::json;

std::string text_for(const std::string& name, const std::string& existing) {
  const auto client = find_agent_client(name);
  EXPECT_TRUE(client) << name;
  const auto text =
      configured_text(*client, existing, server_command("/opt/warp mind/bin/warpmind"));
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  return text.value_or("");
}

TEST(AgentConfiguration, EveryClientGetsItsOwnShape) {
  json got = json::parse(text_for("claude-code", ""));
  EXPECT_EQ(got["mcpServers"]["warpmind"]["type"], "stdio");
  EXPECT_EQ(got["mcpServers"]["warpmind"]["args"], json::array({"mcp"}));
  got = json::parse(text_for("cursor", "  \n"));
  EXPECT_EQ(got["mcpServers"]["warpmind"]["command"], "/opt/warp mind/bin/warpmind");
  got = json::parse(text_for("vscode", ""));
  EXPECT_EQ(got["servers"]["warpmind"]["command"], "/opt/warp mind/bin/warpmind");
  got = json::parse(text_for("opencode", ""));
  EXPECT_EQ(got["mcp"]["warpmind"]["command"], json({"/opt/warp mind/bin/warpmind", "mcp"}));
  const std::string codex = text_for("codex", "");
  EXPECT_TRUE(
      codex.starts_with("[mcp_servers.warpmind]\ncommand = \"/opt/warp mind/bin/warpmind\""));
  EXPECT_NE(codex.find("\nrequired = true"), std::string::npos)
      << "Codex asks its model without waiting for other servers";
}

/// The folder of npx's cache is gone after `npm cache clean`, or with the next version.
TEST(AgentConfiguration, AProgramInTheCacheOfNpxIsStartedByNpx) {
  const auto command =
      server_command("/home/ada/.npm/_npx/4f1c0de/node_modules/warpmind-linux-x64/bin/warpmind");
  EXPECT_EQ(command, (ServerCommand{"npx", "-y", "warpmind", "mcp"}));
  const json cursor =
      json::parse(configured_text(*find_agent_client("cursor"), "", command).value());
  EXPECT_EQ(cursor["mcpServers"]["warpmind"]["command"], "npx");
  EXPECT_EQ(cursor["mcpServers"]["warpmind"]["args"], json({"-y", "warpmind", "mcp"}));
  const json opencode =
      json::parse(configured_text(*find_agent_client("opencode"), "", command).value());
  EXPECT_EQ(opencode["mcp"]["warpmind"]["command"], json({"npx", "-y", "warpmind", "mcp"}));
  const std::string codex = configured_text(*find_agent_client("codex"), "", command).value();
  EXPECT_TRUE(codex.starts_with(
      "[mcp_servers.warpmind]\ncommand = \"npx\"\nargs = [\"-y\",\"warpmind\",\"mcp\"]\n"))
      << codex;
}

TEST(AgentConfiguration, WhatElseStandsThereStaysInItsOrder) {
  const std::string text =
      text_for("vscode", R"({"zeta":1,"servers":{"other":{"command":"x"}},"alpha":[2]})");
  const json got = json::parse(text);
  EXPECT_EQ(got["servers"]["other"]["command"], "x");
  EXPECT_EQ(got["alpha"], json::array({2}));
  EXPECT_LT(text.find("zeta"), text.find("alpha"));
  EXPECT_EQ(text_for("vscode", text), text) << "a second time changes nothing";

  const std::string toml =
      "model = \"m\"\n\n[mcp_servers.warpmind]\ncommand = \"old\"\n\n[other]\nx = 1\n";
  const std::string written = text_for("codex", toml);
  EXPECT_EQ(written.find("old"), std::string::npos);
  EXPECT_NE(written.find("[other]\nx = 1\n"), std::string::npos);
  EXPECT_TRUE(written.starts_with("model = \"m\"\n"));
  EXPECT_EQ(text_for("codex", written), written);
}

TEST(AgentConfiguration, WhatCannotBeReadIsLeftAlone) {
  const auto client = find_agent_client("vscode");
  ASSERT_TRUE(client);
  for (const char* text : {"// comment\n{}", "[]", "{\"servers\":7}"}) {
    EXPECT_FALSE(configured_text(*client, text, {"warpmind", "mcp"})) << text;
  }
  const auto unknown = find_agent_client("vscod");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("did you mean 'vscode'?"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::clients
