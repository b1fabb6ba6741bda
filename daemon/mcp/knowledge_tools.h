#pragma once
/// \file
/// Tools about what is known: search, get, record.

#include "daemon/mcp/tool.h"

#include <vector>

namespace warpmind::daemon::mcp {

[[nodiscard]] std::vector<Tool> knowledge_tools();

}  // namespace warpmind::daemon::mcp
