#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

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

}  // namespace warpmind::daemon
