#include "clients/cli/agent_configuration.h"

#include "base/codec/json_guard.h"
#include "config/nearest_name.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

using nlohmann::json;

constexpr auto kServer = "warpmind";
constexpr std::string_view kCodexTable = "[mcp_servers.warpmind]";

json arguments_of(const ServerCommand& command) {
  return json(ServerCommand(command.begin() + 1, command.end()));
}

/// Where a client keeps its servers, and what one looks like there.
json entry_for(const AgentClient& client, const ServerCommand& command) {
  if (client.name == "opencode") {
    return {{"type", "local"}, {"command", command}, {"enabled", true}};
  }
  return {{"type", "stdio"}, {"command", command.front()}, {"args", arguments_of(command)}};
}

const char* servers_key(const AgentClient& client) {
  if (client.name == "vscode") return "servers";
  return client.name == "opencode" ? "mcp" : "mcpServers";
}

Result<std::string> configured_json(const AgentClient& client, const std::string& existing,
                                    const ServerCommand& command) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  if (existing.find_first_not_of(" \t\r\n") != std::string::npos) {
    // The guard checks depth and size; the order of members is the user's.
    const auto checked = codec::parse_json(existing);
    if (!checked || !checked->is_object()) {
      return fail(Errc::invalid_argument, std::string(client.file) +
                                              " is not plain JSON (comments?): add the printed "
                                              "server by hand");
    }
    root = nlohmann::ordered_json::parse(existing);
  }
  auto& servers = root[servers_key(client)];
  if (servers.is_null()) servers = nlohmann::ordered_json::object();
  if (!servers.is_object()) {
    return fail(Errc::invalid_argument,
                std::string(client.file) + ": \"" + servers_key(client) + "\" is no object");
  }
  servers[kServer] = nlohmann::ordered_json::parse(entry_for(client, command).dump());
  return root.dump(2) + "\n";
}

std::string toml_string(const std::string& text) {
  return json(text).dump();  // basic strings of TOML escape as JSON does
}

/// Our table goes, others stay as they are.
std::string without_table(const std::string& text) {
  const auto begin = text.find(kCodexTable);
  if (begin == std::string::npos || (begin > 0 && text[begin - 1] != '\n')) return text;
  const auto next = text.find("\n[", begin);
  return text.substr(0, begin) + (next == std::string::npos ? "" : text.substr(next + 1));
}

std::string configured_toml(const std::string& existing, const ServerCommand& command) {
  std::string text = without_table(existing);
  while (text.ends_with("\n\n")) text.pop_back();
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (!text.empty()) text += '\n';
  return text + std::string(kCodexTable) + "\ncommand = " + toml_string(command.front()) +
         "\nargs = " + arguments_of(command).dump() +
         "\nstartup_timeout_sec = 20\ntool_timeout_sec = 60\n" +
         "required = true  # else the first question goes out before the tools are there\n";
}

}  // namespace

const std::vector<AgentClient>& agent_clients() {
  static const std::vector<AgentClient> known{
      {"claude-code", ".mcp.json", false, "start claude in this folder and approve the server"},
      {"codex", ".codex/config.toml", true, "start codex; /mcp lists the server"},
      {"cursor", ".cursor/mcp.json", false, "open this folder in Cursor; Settings, MCP lists it"},
      {"vscode", ".vscode/mcp.json", false, "open this folder; 'MCP: List Servers' starts it"},
      {"opencode", "opencode.json", false, "opencode mcp list shows it as connected"},
  };
  return known;
}

Result<AgentClient> find_agent_client(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& client : agent_clients()) {
    if (client.name == name) return client;
    names.push_back(client.name);
  }
  return fail(Errc::invalid_argument, "'" + std::string(name.substr(0, 64)) +
                                          "' is no client that is known" +
                                          config::suggestion(name.substr(0, 64), names));
}

ServerCommand server_command(const std::filesystem::path& self) {
  const bool from_npx = std::any_of(
      self.begin(), self.end(), [](const std::filesystem::path& part) { return part == "_npx"; });
  if (from_npx) return {"npx", "-y", "warpmind", "mcp"};
  return {self.string(), "mcp"};
}

Result<std::string> configured_text(const AgentClient& client, const std::string& existing,
                                    const ServerCommand& command) {
  if (client.name == "codex") return configured_toml(existing, command);
  return configured_json(client, existing, command);
}

}  // namespace warpmind::clients
