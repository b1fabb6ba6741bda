#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::JobParams, protocol::TaskStatusResult> task_status(Scheduler& scheduler,
                                                                     Subscriptions& subscriptions) {
  return [&](const protocol::JobParams& params,
             RequestContext& context) -> Result<protocol::TaskStatusResult> {
    const JobId id(params.job_id);
    WARPMIND_TRY(auto status, scheduler.status(id));
    if (params.watch) {
      JobEvent event;
      event.progress = {status.job_id, status.state,      status.step,
                        status.steps,  status.best_ratio, status.activity};
      context.after_reply = [&subscriptions, connection = context.connection, id, event] {
        subscriptions.watch(connection, id, event);
      };
    }
    return status;
  };
}

}  // namespace warpmind::daemon
