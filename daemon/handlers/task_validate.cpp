#include "daemon/handlers/handlers.h"
#include "daemon/handlers/job_request.h"

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

}  // namespace warpmind::daemon
