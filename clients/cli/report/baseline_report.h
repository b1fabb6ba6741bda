#pragma once
/// \file
/// A task's kernel beside the best library call, for a person.

#include "clients/cli/report/style.h"
#include "daemon/protocol/analysis_messages.h"

#include <string>

namespace warpmind::clients {

/// Both times and what they are to each other, or why there is no library's; then what was tried.
[[nodiscard]] std::string render_baseline(const daemon::protocol::LibraryBaselineResult& result,
                                          const Style& style);

}  // namespace warpmind::clients
