#include "daemon/protocol/guest_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(EpisodeOpenParams);
WARPMIND_INSTANTIATE(EpisodeParams);
WARPMIND_INSTANTIATE(EpisodeBrief);
WARPMIND_INSTANTIATE(EpisodeSubmitParams);
WARPMIND_INSTANTIATE(EpisodeSubmitResult);
WARPMIND_INSTANTIATE(EpisodeCloseParams);
WARPMIND_INSTANTIATE(EpisodeCloseResult);

std::vector<MethodSpec> guest_methods() {
  return {method_spec(kEpisodeOpen), method_spec(kEpisodeBrief), method_spec(kEpisodeSubmit),
          method_spec(kEpisodeClose)};
}

}  // namespace warpmind::daemon::protocol
