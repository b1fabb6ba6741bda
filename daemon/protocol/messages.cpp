#include "daemon/protocol/messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(Greeting);
WARPMIND_INSTANTIATE(HelloParams);
WARPMIND_INSTANTIATE(StatusResult);
WARPMIND_INSTANTIATE(TaskValidateParams);
WARPMIND_INSTANTIATE(TaskValidateResult);
WARPMIND_INSTANTIATE(TaskAdmitParams);
WARPMIND_INSTANTIATE(TaskSubmitParams);
WARPMIND_INSTANTIATE(TaskSubmitResult);
WARPMIND_INSTANTIATE(JobParams);
WARPMIND_INSTANTIATE(TaskStatusParams);
WARPMIND_INSTANTIATE(TaskStatusResult);
WARPMIND_INSTANTIATE(TaskCancelResult);
WARPMIND_INSTANTIATE(TaskResultResult);
WARPMIND_INSTANTIATE(ProgressParams);
WARPMIND_INSTANTIATE(ShutdownParams);
WARPMIND_INSTANTIATE(Empty);

ProgressParams progress_of(const TaskStatusResult& status) {
  ProgressParams progress;
  progress.job_id = status.job_id;
  progress.state = status.state;
  progress.step = status.step;
  progress.steps = status.steps;
  progress.best_ratio = status.best_ratio;
  progress.line = status.activity;
  return progress;
}

std::vector<MethodSpec> core_methods() {
  return {method_spec(kGreeting),     method_spec(kHello),      method_spec(kStatus),
          method_spec(kTaskValidate), method_spec(kTaskAdmit),  method_spec(kTaskSubmit),
          method_spec(kTaskStatus),   method_spec(kTaskCancel), method_spec(kTaskResult),
          method_spec(kTaskProgress)};
}

std::vector<MethodSpec> last_methods() {
  // Served by the envelope, before there are messages.
  const FieldSpec request{"id", FieldType::id, true, "id of a request of this connection"};
  return {method_spec(kShutdown),
          {"$/cancelRequest",
           MethodKind::client_notification,
           "Gives up a request: it is answered with error `cancelled`, or with its result when "
           "that was ready first.",
           {request},
           {}}};
}

}  // namespace warpmind::daemon::protocol
