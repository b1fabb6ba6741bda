#pragma once
/// \file
/// The queue and its nights as text.

#include "clients/cli/report/text.h"
#include "daemon/protocol/queue_messages.h"

#include <cstddef>
#include <string>

namespace warpmind::clients {

[[nodiscard]] std::string render_queue(const daemon::protocol::QueueListResult& list,
                                       std::size_t columns);
[[nodiscard]] std::string render_rules(const daemon::protocol::QueueRulesResult& rules);
[[nodiscard]] std::string render_queue_why(const daemon::protocol::QueueWhyResult& why);
[[nodiscard]] std::string render_night(const daemon::protocol::QueueReportResult& report,
                                       std::size_t columns);
/// "12 candidates, 3 min 20 s of work, 42.0 s of device time"; tokens and money where there are.
[[nodiscard]] std::string spent_text(const Spent& spent);

}  // namespace warpmind::clients
