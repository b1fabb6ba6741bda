#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::JobParams, protocol::TaskCancelResult> task_cancel(Scheduler& scheduler) {
  return [&](const protocol::JobParams& params,
             RequestContext& /*context*/) -> Result<protocol::TaskCancelResult> {
    WARPMIND_TRY(const JobState state, scheduler.cancel(JobId(params.job_id)));
    return protocol::TaskCancelResult{state};
  };
}

}  // namespace warpmind::daemon
