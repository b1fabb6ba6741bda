#pragma once
/// \file
/// What the MCP side is given by the server.

#include "base/ids.h"
#include "daemon/scheduler/job_event.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace warpmind::daemon::mcp {

struct McpOptions {
  std::string version;  ///< of the daemon
  /// Calls `task` on the io thread once the time is over.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
  /// The newest event of a job that the scheduler still holds.
  std::function<std::optional<JobEvent>(const JobId&)> latest;
  /// A call that takes longer answers with a handle: clients give up after 60 s.
  std::chrono::milliseconds patience{40'000};
  std::chrono::milliseconds heartbeat{15'000};  ///< between two signs of life
};

}  // namespace warpmind::daemon::mcp
