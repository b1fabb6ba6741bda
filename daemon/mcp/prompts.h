#pragma once
/// \file
/// Prompts that clients offer to their users: what to do, in our own words. What the user gives
/// stands in a JSON block, as data.

#include "daemon/protocol/document.h"

#include <string>

namespace warpmind::daemon::mcp {

[[nodiscard]] nlohmann::json prompt_list();
/// Errors: invalid_argument for an unknown prompt, and for a missing or unknown argument.
[[nodiscard]] Result<protocol::Document> prompt(const std::string& name,
                                                const nlohmann::json& arguments);

}  // namespace warpmind::daemon::mcp
