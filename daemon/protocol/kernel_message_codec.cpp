#include "base/codec/model_json.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MovesExplainParams, directory, source, device,
                                                technique, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExplainedMove, parameters, predicted_gain)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExplainedTechnique, technique, rationale,
                                                parameters, moves, refusal, kernels, rewritten)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExplainedHostEdit, name, rationale, refusal, places,
                                                text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MovesExplainResult, name, device, kernel,
                                                techniques, note, host)

WARPMIND_INSTANTIATE(MovesExplainParams);
WARPMIND_INSTANTIATE(MovesExplainResult);

}  // namespace warpmind::daemon::protocol
