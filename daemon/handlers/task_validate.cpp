#include "config/task_file.h"
#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::TaskValidateParams, protocol::TaskValidateResult> task_validate() {
  return [](const protocol::TaskValidateParams& params,
            RequestContext& /*context*/) -> Result<protocol::TaskValidateResult> {
    const std::filesystem::path directory(params.directory);
    if (!directory.is_absolute()) {
      return fail(Errc::invalid_argument, "'directory' must be an absolute path, not '" +
                                              params.directory.substr(0, 256) + "'");
    }
    WARPMIND_TRY(const auto loaded, config::load_task(directory));
    protocol::TaskValidateResult result;
    result.task_id = loaded.task.id.str();
    result.name = loaded.task.name;
    for (const auto& workload : loaded.task.workloads) result.workloads.push_back(workload.name);
    result.warnings = loaded.warnings;
    return result;
  };
}

}  // namespace warpmind::daemon
