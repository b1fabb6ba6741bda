#include "base/codec/model_json.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeListParams, file, limit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ListedEpisode, job_id, state, task, directory,
                                                provider, submitted, episode_id, outcome, device,
                                                given_ns, best_ns, ratio, technique, summary,
                                                bottleneck, how, curve, limit_ns, limited_by)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeListResult, directory, task, note, episodes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LspAttachResult, protocol)

WARPMIND_INSTANTIATE(EpisodeListParams);
WARPMIND_INSTANTIATE(EpisodeListResult);
WARPMIND_INSTANTIATE(LspAttachResult);

}  // namespace warpmind::daemon::protocol
