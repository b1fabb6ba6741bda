#pragma once
/// \file
/// Counted operations, for a person.

#include "clients/cli/report/style.h"
#include "daemon/protocol/flops_messages.h"

#include <string>

namespace warpmind::clients {

/// Launches with their totals when a task was given, else each kernel's loops, a pass each.
[[nodiscard]] std::string render_flops(const daemon::protocol::FlopsCountResult& result,
                                       const Style& style);

}  // namespace warpmind::clients
