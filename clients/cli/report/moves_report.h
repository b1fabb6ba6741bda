#pragma once
/// \file
/// What the built-in agent could do to a kernel, for a person.

#include "clients/cli/report/style.h"
#include "daemon/protocol/kernel_messages.h"

#include <string>

namespace warpmind::clients {

/// Techniques that apply, best first, then those that do not with the reason; with the diff of the
/// first move of each when `with_diffs`.
[[nodiscard]] std::string render_moves(const daemon::protocol::MovesExplainResult& result,
                                       bool with_diffs, const Style& style);

}  // namespace warpmind::clients
