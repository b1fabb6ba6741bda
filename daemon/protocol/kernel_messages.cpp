#include "daemon/protocol/kernel_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(MovesExplainParams);
WARPMIND_INSTANTIATE(MovesExplainResult);

std::vector<MethodSpec> kernel_methods() { return {method_spec(kMovesExplain)}; }

}  // namespace warpmind::daemon::protocol
