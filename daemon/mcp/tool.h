#pragma once
/// \file
/// A tool as MCP clients see it, and what its call gives back.

#include "daemon/mcp/backend.h"
#include "daemon/protocol/document.h"
#include "daemon/rpc/dispatcher.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::mcp {

struct ResourceLink {
  std::string uri;
  std::string name;
  std::string description;
  std::string mime_type;
};

/// What a call gives back. `data` holds everything that came from memory, compilers and kernels;
/// `sentence` is our own words and numbers alone.
struct ToolReply {
  std::string sentence;
  protocol::Document data;  ///< object; conforms to the tool's output schema
  std::vector<ResourceLink> links = {};
  bool is_error = false;
  std::string job = {};  ///< of kernel_optimize: a job that goes on
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  bool read_only = true;
  bool destructive = false;
  bool idempotent = true;
  std::string input_schema;   ///< JSON
  std::string output_schema;  ///< JSON
  /// Where a call with these arguments runs.
  Execution (*where)(const nlohmann::json& arguments) = nullptr;
  Result<ToolReply> (*run)(const nlohmann::json& arguments, const Backend& backend) = nullptr;
};

/// All of them, in the order in which they are listed. `job` with a wait is served by McpService.
[[nodiscard]] std::span<const Tool> tools();
/// Null when there is no such tool.
[[nodiscard]] const Tool* find_tool(std::string_view name);

}  // namespace warpmind::daemon::mcp
