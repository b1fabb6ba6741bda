#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

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
