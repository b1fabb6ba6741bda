#include "daemon/protocol/analysis_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(LibraryBaselineParams);
WARPMIND_INSTANTIATE(LibraryBaselineResult);
WARPMIND_INSTANTIATE(KernelAnalyzeParams);
WARPMIND_INSTANTIATE(KernelAnalysis);
WARPMIND_INSTANTIATE(EpisodeProfileParams);
WARPMIND_INSTANTIATE(EpisodeProfileResult);

std::vector<MethodSpec> analysis_methods() {
  return {method_spec(kLibraryBaseline), method_spec(kKernelAnalyze), method_spec(kEpisodeProfile)};
}

}  // namespace warpmind::daemon::protocol
