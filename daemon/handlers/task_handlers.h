#pragma once
/// \file
/// The methods `task.*`. What handlers capture must outlive the dispatcher.

#include "config/settings.h"
#include "daemon/handlers/job_admission.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/rpc/subscriptions.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_store.h"

namespace warpmind::daemon {

[[nodiscard]] Handler<protocol::TaskValidateParams, protocol::TaskValidateResult> task_validate();
[[nodiscard]] Handler<protocol::TaskAdmitParams, protocol::Empty> task_admit(
    const config::Settings& settings, MachineView machine);
[[nodiscard]] Handler<protocol::TaskSubmitParams, protocol::TaskSubmitResult> task_submit(
    Scheduler& scheduler, Subscriptions& subscriptions, const config::Settings& settings,
    MachineView machine);
[[nodiscard]] Handler<protocol::TaskStatusParams, protocol::TaskStatusResult> task_status(
    Scheduler& scheduler, Subscriptions& subscriptions);
[[nodiscard]] Handler<protocol::JobParams, protocol::TaskCancelResult> task_cancel(
    Scheduler& scheduler);
[[nodiscard]] Handler<protocol::JobParams, protocol::TaskResultResult> task_result(
    const knowledge_base::KnowledgeStore& store);

}  // namespace warpmind::daemon
