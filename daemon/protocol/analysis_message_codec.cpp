#include "base/codec/model_json.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelAnalyzeParams, directory, path, source,
                                                device, predict, insights, plan)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AnalyzedKernel, name, line, end_line, built,
                                                registers, static_shared_bytes,
                                                dynamic_shared_bytes, stack_bytes,
                                                spill_store_bytes, spill_load_bytes, block_threads,
                                                block_origin, occupancy_percent, occupancy_limiter,
                                                bottleneck, advice, predicted_ns, insights, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelAnalyzeResult, task, device, architecture,
                                                source_hash, built, diagnostics, kernels,
                                                bottleneck, advice, predicted, launches, lines,
                                                findings, insights_note, note, seconds)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LibraryBaselineParams, directory, again)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LibraryBaselineResult, task, verdict)

WARPMIND_INSTANTIATE(LibraryBaselineParams);
WARPMIND_INSTANTIATE(LibraryBaselineResult);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeProfileParams, id, step, against)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EpisodeProfileResult, job_id, step, against,
                                                provider, made_now, profile, launches, measurement,
                                                findings, note)

WARPMIND_INSTANTIATE(KernelAnalyzeParams);
WARPMIND_INSTANTIATE(KernelAnalyzeResult);
WARPMIND_INSTANTIATE(EpisodeProfileParams);
WARPMIND_INSTANTIATE(EpisodeProfileResult);

}  // namespace warpmind::daemon::protocol
