#pragma once
/// \file
/// What an agent without MCP needs to know to use the command line: `warpmind skill print`.

#include <string_view>

namespace warpmind::clients {

/// Markdown with the front matter of a SKILL.md.
[[nodiscard]] std::string_view skill_text();

}  // namespace warpmind::clients
