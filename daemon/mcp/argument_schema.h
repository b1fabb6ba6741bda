#pragma once
/// \file
/// Arguments of a tool against its input schema.

#include "base/result.h"
#include "daemon/protocol/document.h"

namespace warpmind::daemon::mcp {

/// Understands what our own schemas use: type, enum, properties, required, additionalProperties
/// (false, or a schema), items, minimum, maximum, minLength, maxLength, maxItems. Errors:
/// invalid_argument naming the place, what is wrong there and what would be right.
[[nodiscard]] Result<void> check_arguments(const nlohmann::json& schema,
                                           const nlohmann::json& arguments);

}  // namespace warpmind::daemon::mcp
