#include "daemon/handlers/task_handlers.h"

#include "base/job_names.h"
#include "daemon/handlers/job_request.h"

#include <utility>

namespace warpmind::daemon {

Handler<protocol::TaskValidateParams, protocol::TaskValidateResult> task_validate() {
  return [](const protocol::TaskValidateParams& params,
            RequestContext& /*context*/) -> Result<protocol::TaskValidateResult> {
    WARPMIND_TRY(const auto loaded, load_named_task(params.directory));
    protocol::TaskValidateResult result;
    result.task_id = loaded.task.id.str();
    result.name = loaded.task.name;
    for (const auto& workload : loaded.task.workloads) result.workloads.push_back(workload.name);
    result.warnings = loaded.warnings;
    return result;
  };
}

Handler<protocol::TaskAdmitParams, protocol::Empty> task_admit(const config::Settings& settings,
                                                               MachineView machine) {
  return [&settings, machine = std::move(machine)](
             const protocol::TaskAdmitParams& params,
             RequestContext& /*context*/) -> Result<protocol::Empty> {
    WARPMIND_CHECK(request_without_task(params, settings, machine));
    return protocol::Empty{};
  };
}

Handler<protocol::TaskSubmitParams, protocol::TaskSubmitResult> task_submit(
    Scheduler& scheduler, Subscriptions& subscriptions, const config::Settings& settings,
    MachineView machine) {
  return [&scheduler, &subscriptions, &settings, machine = std::move(machine)](
             const protocol::TaskSubmitParams& params,
             RequestContext& context) -> Result<protocol::TaskSubmitResult> {
    if (params.proposer == kExternalProposer) {
      return fail(Errc::invalid_argument,
                  "a job of the proposer 'external' is opened with `episode.open`, not submitted");
    }
    WARPMIND_TRY(const JobRequest request,
                 job_request_of(params.directory, params, settings, machine));
    if (context.stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
    WARPMIND_TRY(const Submitted submitted, scheduler.submit(request));
    if (params.watch) {
      JobEvent accepted;
      accepted.progress.job_id = submitted.id.str();
      accepted.progress.state = JobState::queued;
      accepted.progress.steps = request.budget.evaluations;
      accepted.progress.line = "queued";
      context.after_reply = [&subscriptions, connection = context.connection, id = submitted.id,
                             accepted] { subscriptions.watch(connection, id, accepted); };
    }
    return protocol::TaskSubmitResult{submitted.id.str(), submitted.ahead};
  };
}

Handler<protocol::TaskStatusParams, protocol::TaskStatusResult> task_status(
    Scheduler& scheduler, Subscriptions& subscriptions) {
  return [&](const protocol::TaskStatusParams& params,
             RequestContext& context) -> Result<protocol::TaskStatusResult> {
    const JobId id(params.job_id);
    WARPMIND_TRY(auto status, scheduler.status(id));
    if (params.watch) {
      JobEvent event;
      event.progress = protocol::progress_of(status);
      context.after_reply = [&subscriptions, connection = context.connection, id, event] {
        subscriptions.watch(connection, id, event);
      };
    }
    return status;
  };
}

Handler<protocol::JobParams, protocol::TaskCancelResult> task_cancel(Scheduler& scheduler) {
  return [&](const protocol::JobParams& params,
             RequestContext& /*context*/) -> Result<protocol::TaskCancelResult> {
    WARPMIND_TRY(const JobState state, scheduler.cancel(JobId(params.job_id)));
    return protocol::TaskCancelResult{state};
  };
}

Handler<protocol::JobParams, protocol::TaskResultResult> task_result(
    const knowledge_base::KnowledgeStore& store) {
  return [&](const protocol::JobParams& params,
             RequestContext& /*context*/) -> Result<protocol::TaskResultResult> {
    WARPMIND_TRY(auto job, store.find_job(JobId(params.job_id)));
    if (!job) {
      return fail(Errc::not_found, "there is no job '" + params.job_id.substr(0, 64) + "'");
    }
    job->request.task = shown_part(std::move(job->request.task));
    return protocol::TaskResultResult{std::move(*job)};
  };
}

}  // namespace warpmind::daemon
