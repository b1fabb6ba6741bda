#include "daemon/protocol/editor_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(EpisodeListParams);
WARPMIND_INSTANTIATE(EpisodeListResult);
WARPMIND_INSTANTIATE(LspAttachResult);

std::vector<MethodSpec> editor_methods() {
  return {method_spec(kEpisodeList), method_spec(kLspAttach)};
}

}  // namespace warpmind::daemon::protocol
