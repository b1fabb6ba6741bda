#pragma once
/// \file
/// The morning report: one night as Markdown, and as one HTML file that loads nothing.

#include "daemon/protocol/queue_messages.h"

#include <string>

namespace warpmind::clients {

[[nodiscard]] std::string night_markdown(const daemon::protocol::QueueReportResult& report);
[[nodiscard]] std::string night_html(const daemon::protocol::QueueReportResult& report);

}  // namespace warpmind::clients
