#include "daemon/protocol/flops_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(FlopsCountParams);
WARPMIND_INSTANTIATE(FlopsCountResult);

std::vector<MethodSpec> flops_methods() { return {method_spec(kFlopsCount)}; }

}  // namespace warpmind::daemon::protocol
