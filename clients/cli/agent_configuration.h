#pragma once
/// \file
/// The configuration of coding agents that makes warpmind one of their MCP servers.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// One known client and its file.
struct AgentClient {
  std::string_view name;       ///< "claude-code"
  std::string_view file;       ///< relative to `base`
  bool in_home = false;        ///< base is the home folder, else the working folder
  std::string_view next_step;  ///< what the user does then
};

[[nodiscard]] const std::vector<AgentClient>& agent_clients();
/// Errors: invalid_argument naming those that are known.
[[nodiscard]] Result<AgentClient> find_agent_client(std::string_view name);

/// Program and arguments that start warpmind as an MCP server.
using ServerCommand = std::vector<std::string>;

/// Of the program at `self`, which PATH need not lead to. npx keeps what it ran only until its
/// cache is cleaned: of a program there it is npx that can be started tomorrow.
[[nodiscard]] ServerCommand server_command(const std::filesystem::path& self);

/// The file's text with the server in it: everything else of `existing` stays. `command` is what
/// the client shall start; an entry of our name is replaced. Errors: invalid_argument when
/// `existing` cannot be read.
[[nodiscard]] Result<std::string> configured_text(const AgentClient& client,
                                                  const std::string& existing,
                                                  const ServerCommand& command);

}  // namespace warpmind::clients
