#include "base/codec/model_json.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DashboardOpenResult, url, expires_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeRooflineParams, id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RooflineMark, step, accepted, intensity, gflops,
                                                time_ns, share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeRooflineResult, task, device, workload,
                                                provider, peak, peak_gflops, bandwidth_gb_s, steps)

WARPMIND_INSTANTIATE(DashboardOpenResult);
WARPMIND_INSTANTIATE(EpisodeRooflineParams);
WARPMIND_INSTANTIATE(EpisodeRooflineResult);

}  // namespace warpmind::daemon::protocol
