#pragma once
/// \file
/// Tools about kernels: analyse, profile, optimise, explain.

#include "daemon/mcp/tool.h"

#include <vector>

namespace warpmind::daemon::mcp {

[[nodiscard]] std::vector<Tool> kernel_tools();

}  // namespace warpmind::daemon::mcp
