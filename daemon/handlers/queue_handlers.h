#pragma once
/// \file
/// `queue.*`: work for the background.

#include "config/settings.h"
#include "daemon/handlers/job_admission.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"

#include <map>
#include <string>

namespace warpmind::daemon {

/// What the methods work on; must outlive the dispatcher.
struct QueueAccess {
  Scheduler& scheduler;
  knowledge_base::KnowledgeBase& base;
  const config::Settings& settings;
  std::string user;  ///< whose jobs are those that name nobody
  MachineView machine;
};

void add_queue_methods(Dispatcher& dispatcher, const QueueAccess& access);

/// What jobs did: those that are named, else those of the night, else those of the newest night.
/// Errors: not_found for a night or a job that there was not; what the base refuses.
[[nodiscard]] Result<protocol::QueueReportResult> queue_report(
    knowledge_base::KnowledgeBase& base, const protocol::QueueReportParams& what);

/// By name, as they go over the wire.
[[nodiscard]] std::map<std::string, double> amounts_of(const Spent& spent);

}  // namespace warpmind::daemon
