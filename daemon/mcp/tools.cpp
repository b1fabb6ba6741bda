#include "daemon/mcp/tool.h"

#include <algorithm>

namespace warpmind::daemon::mcp {

std::span<const Tool> tools() {
  static const std::vector<Tool> all = [] {
    std::vector<Tool> list;
    for (const auto group : {kernel_tools(), knowledge_tools(), job_tools()}) {
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
