#include "daemon/protocol/record_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(EpisodeExplainParams);
WARPMIND_INSTANTIATE(EpisodeExplainResult);
WARPMIND_INSTANTIATE(ExportWriteParams);
WARPMIND_INSTANTIATE(ExportWriteResult);
WARPMIND_INSTANTIATE(ExportVerifyParams);
WARPMIND_INSTANTIATE(ExportVerifyResult);

std::vector<MethodSpec> record_methods() {
  return {method_spec(kEpisodeExplain), method_spec(kExportWrite), method_spec(kExportVerify)};
}

}  // namespace warpmind::daemon::protocol
