#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"
#include "daemon/protocol/record_messages.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeExplainParams, id, step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExplainedInsight, id, known, kind, state, claim,
                                                techniques, utility)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeExplainResult, job_id, state, budget,
                                                episode, insights, step, advice, inputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExportWriteParams, kind, file, format, provider,
                                                since, threshold, balance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExportWriteResult, file, bytes, sha256, lines,
                                                episodes, tasks, heldout, other_provider,
                                                no_reasoning, duplicates, unbalanced, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExportVerifyParams, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExportVerifyResult, lines, problems, notes, kinds)

WARPMIND_INSTANTIATE(EpisodeExplainParams);
WARPMIND_INSTANTIATE(EpisodeExplainResult);
WARPMIND_INSTANTIATE(ExportWriteParams);
WARPMIND_INSTANTIATE(ExportWriteResult);
WARPMIND_INSTANTIATE(ExportVerifyParams);
WARPMIND_INSTANTIATE(ExportVerifyResult);

}  // namespace warpmind::daemon::protocol
