#include "daemon/protocol/dashboard_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(DashboardOpenResult);
WARPMIND_INSTANTIATE(EpisodeRooflineParams);
WARPMIND_INSTANTIATE(EpisodeRooflineResult);

std::vector<MethodSpec> dashboard_methods() {
  return {method_spec(kDashboardOpen), method_spec(kEpisodeRoofline)};
}

}  // namespace warpmind::daemon::protocol
