#pragma once
/// \file
/// One factory a method; each is in its own file. What they capture must outlive the dispatcher.

#include "base/clock.h"
#include "config/settings.h"
#include "daemon/handlers/job_admission.h"
#include "daemon/health_board.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/rpc/subscriptions.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_store.h"

#include <chrono>
#include <functional>

namespace warpmind::daemon {

/// What `status` reads; nothing of it blocks.
struct StatusSources {
  const Scheduler& scheduler;
  const HealthBoard& health;
  const Connections& connections;
  const config::Settings& settings;
  const Clock& clock;
  std::chrono::steady_clock::time_point started;
  std::string version;
};

[[nodiscard]] Handler<protocol::HelloParams, std::string> hello(const protocol::Greeting& greeting);
[[nodiscard]] Handler<protocol::Empty, protocol::StatusResult> status(StatusSources sources);
[[nodiscard]] Handler<protocol::TaskValidateParams, protocol::TaskValidateResult> task_validate();
[[nodiscard]] Handler<protocol::MovesExplainParams, protocol::MovesExplainResult> moves_explain(
    const config::Settings& settings);
[[nodiscard]] Handler<protocol::FlopsCountParams, protocol::FlopsCountResult> flops_count(
    const config::Settings& settings);
[[nodiscard]] Handler<protocol::ProgramLiftParams, protocol::ProgramLiftResult> program_lift();
[[nodiscard]] Handler<protocol::ProgramRewriteParams, protocol::ProgramRewriteResult>
program_rewrite();
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
[[nodiscard]] Handler<protocol::EpisodeListParams, protocol::EpisodeListResult> episode_list(
    const knowledge_base::KnowledgeStore& store);
[[nodiscard]] Handler<protocol::EpisodeRooflineParams, protocol::EpisodeRooflineResult>
episode_roofline(const knowledge_base::KnowledgeStore& store);
/// `begin` is called on the io thread after the answer is on its way.
[[nodiscard]] Handler<protocol::ShutdownParams, protocol::Empty> shutdown(
    std::function<void(protocol::ShutdownMode)> begin);

}  // namespace warpmind::daemon
