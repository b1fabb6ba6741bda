#pragma once
/// \file
/// Insights as a person reads them. Text that others wrote is made safe to print.

#include "base/model/insight.h"
#include "clients/cli/report/style.h"
#include "daemon/protocol/knowledge_messages.h"

#include <string>

namespace warpmind::clients {

/// "i-3fa85b1c": as much of an id as people need.
[[nodiscard]] std::string short_id(const InsightId& id);
/// "1.31× (1.22× to 1.41×)", or "not measured here".
[[nodiscard]] std::string gain_of(const Utility& utility);
/// "f16; memory_bandwidth; compute capability 8.0 to 9.0"; "everywhere" without limits.
[[nodiscard]] std::string scope_text(const InsightScope& scope);
/// "9.0"; 121 is 12.1.
[[nodiscard]] std::string capability_text(int capability);
/// "8.0 to 9.0", "from 8.0", "up to 9.0", "9.0"; empty without bounds.
[[nodiscard]] std::string capability_range(int low, int high);

[[nodiscard]] std::string render_search(const RetrievalAnswer& result, const Style& style);
[[nodiscard]] std::string render_insight(const Insight& insight, const Style& style);
/// After a change: `what` happened, and how it stands now.
[[nodiscard]] std::string render_changed(const Insight& insight, const std::string& what,
                                         const Style& style);
[[nodiscard]] std::string render_why(const daemon::protocol::KbWhyResult& result,
                                     const Style& style);
[[nodiscard]] std::string render_history(const daemon::protocol::KbHistoryResult& result,
                                         const Style& style);
[[nodiscard]] std::string render_blame(const daemon::protocol::KbHistoryResult& result,
                                       const Style& style);

}  // namespace warpmind::clients
