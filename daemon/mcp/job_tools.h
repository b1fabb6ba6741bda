#pragma once
/// \file
/// Tools about the daemon: its jobs and its device.

#include "daemon/mcp/tool.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::mcp {

[[nodiscard]] std::vector<Tool> job_tools();

/// "j-0000000007" of "7" or the id itself. Errors: invalid_argument.
[[nodiscard]] Result<std::string> job_id_of(std::string_view text);
/// The answer to `job` with action "status" or "result", for a job as task.result gives it.
[[nodiscard]] ToolReply job_reply(const nlohmann::json& job, bool whole);

}  // namespace warpmind::daemon::mcp
