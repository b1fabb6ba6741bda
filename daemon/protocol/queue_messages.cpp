#include "daemon/protocol/queue_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(QueueAddParams);
WARPMIND_INSTANTIATE(QueueAddResult);
WARPMIND_INSTANTIATE(QueueListParams);
WARPMIND_INSTANTIATE(QueueListResult);
WARPMIND_INSTANTIATE(QueueJobsParams);
WARPMIND_INSTANTIATE(QueueJobsResult);
WARPMIND_INSTANTIATE(QueueMoveParams);
WARPMIND_INSTANTIATE(QueueWhyParams);
WARPMIND_INSTANTIATE(QueueWhyResult);
WARPMIND_INSTANTIATE(QueueRulesParams);
WARPMIND_INSTANTIATE(QueueRulesResult);
WARPMIND_INSTANTIATE(QueueReportParams);
WARPMIND_INSTANTIATE(QueueReportResult);

std::vector<MethodSpec> queue_methods() {
  return {method_spec(kQueueAdd),    method_spec(kQueueList),   method_spec(kQueuePause),
          method_spec(kQueueResume), method_spec(kQueueCancel), method_spec(kQueueMove),
          method_spec(kQueueRetry),  method_spec(kQueueWhy),    method_spec(kQueueRules),
          method_spec(kQueueReport)};
}

}  // namespace warpmind::daemon::protocol
