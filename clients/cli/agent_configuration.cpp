#include "clients/cli/agent_configuration.h"

#include "base/codec/json_guard.h"
#include "config/nearest_name.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

using nlohmann::json;

constexpr auto kServer = "warpmind";
constexpr std::string_view kCodexTable = "[mcp_servers.warpmind]";

json stdio_server(const std::string& program) {
  return {{"type", "stdio"}, {"command", program}, {"args", {"mcp"}}};
}

/// Where a client keeps its servers, and what one looks like there.
json entry_for(const AgentClient& client, const std::string& program) {
  if (client.name != "opencode") return stdio_server(program);
  return {{"type", "local"}, {"command", {program, "mcp"}}, {"enabled", true}};
}

const char* servers_key(const AgentClient& client) {
  if (client.name == "vscode") return "servers";
  return client.name == "opencode" ? "mcp" : "mcpServers";
}

Result<std::string> configured_json(const AgentClient& client, const std::string& existing,
                                    const std::string& program) {
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
  servers[kServer] = nlohmann::ordered_json::parse(entry_for(client, program).dump());
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

std::string configured_toml(const std::string& existing, const std::string& program) {
  std::string text = without_table(existing);
  while (text.ends_with("\n\n")) text.pop_back();
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (!text.empty()) text += '\n';
  return text + std::string(kCodexTable) + "\ncommand = " + toml_string(program) +
         "\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\ntool_timeout_sec = 60\n" +
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

Result<std::string> configured_text(const AgentClient& client, const std::string& existing,
                                    const std::string& program) {
  if (client.name == "codex") return configured_toml(existing, program);
  return configured_json(client, existing, program);
}

}  // namespace warpmind::clients
