#include "base/codec/model_json.h"
#include "daemon/protocol/guest_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeOpenParams, directory, evaluations, seconds,
                                                provider, device, gpu_seconds, effort)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeParams, job_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeBriefResult, job_id, episode_id, step,
                                                kernel, best_ratio, bottleneck, metrics, advice,
                                                device, gradient, contract, forbidden,
                                                evaluations_left, lease_s, launches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeSubmitParams, job_id, source, plan,
                                                build_flags, edits, technique, parameters,
                                                rationale, predicted_gain, author, model)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeSubmitResult, job_id, step, verdict,
                                                promotion, gradient, accepted, known)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeCloseParams, job_id, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeCloseResult, job_id, episode_id, outcome,
                                                summary, candidates, best_step)

WARPMIND_INSTANTIATE(EpisodeOpenParams);
WARPMIND_INSTANTIATE(EpisodeParams);
WARPMIND_INSTANTIATE(EpisodeBriefResult);
WARPMIND_INSTANTIATE(EpisodeSubmitParams);
WARPMIND_INSTANTIATE(EpisodeSubmitResult);
WARPMIND_INSTANTIATE(EpisodeCloseParams);
WARPMIND_INSTANTIATE(EpisodeCloseResult);

}  // namespace warpmind::daemon::protocol
