#include "daemon/mcp/tool.h"

#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/kernel_tools.h"
#include "daemon/mcp/knowledge_tools.h"

#include <algorithm>

namespace warpmind::daemon::mcp {

std::span<const Tool> tools() {
  static const std::vector<Tool> all = [] {
    std::vector<Tool> list = kernel_tools();
    for (const auto& group : {knowledge_tools(), job_tools()}) {
      list.insert(list.end(), group.begin(), group.end());
    }
    return list;
  }();
  return all;
}

const Tool* find_tool(std::string_view name) {
  const auto all = tools();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Tool& tool) { return tool.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace warpmind::daemon::mcp
