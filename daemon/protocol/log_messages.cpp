#include "daemon/protocol/log_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(LogLevelParams);
WARPMIND_INSTANTIATE(LogLevelResult);

std::vector<MethodSpec> log_methods() { return {method_spec(kLogSetLevel)}; }

}  // namespace warpmind::daemon::protocol
