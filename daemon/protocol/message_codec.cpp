#include "daemon/protocol/message_codec.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Greeting, server, version, protocol, pid,
                                                capabilities)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HelloParams, client, protocol)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StatusResult, version, pid, uptime_s, mode, device,
                                                note, state_directory, queued, running, connections,
                                                degraded, jobs, lanes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskValidateParams, directory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskValidateResult, task_id, name, workloads,
                                                warnings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskSubmitParams, directory, evaluations, seconds,
                                                provider, proposer, replay_file, fixture_directory,
                                                device, watch, policy, workers, seed, model, tokens,
                                                usd, gpu_seconds, effort)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskSubmitResult, job_id, ahead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(JobParams, job_id, watch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskStatusResult, job_id, state, task, step, steps,
                                                best_ratio, activity, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskCancelResult, state)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskResultResult, job)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgressParams, job_id, state, step, steps,
                                                best_ratio, line, candidate, technique, stage,
                                                milestone)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(IndexFigures, documents, dead, memory_bytes,
                                                from_snapshot, embedders, endpoint)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbStatsResult, schema_version, last_sequence,
                                                records, episodes_by_outcome, disk_bytes, degraded,
                                                note, insights, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ShutdownParams, mode)

void to_json(nlohmann::json& j, const Empty& /*value*/) { j = nlohmann::json::object(); }
void from_json(const nlohmann::json& /*j*/, Empty& /*value*/) {}

WARPMIND_INSTANTIATE(Greeting);
WARPMIND_INSTANTIATE(HelloParams);
WARPMIND_INSTANTIATE(StatusResult);
WARPMIND_INSTANTIATE(TaskValidateParams);
WARPMIND_INSTANTIATE(TaskValidateResult);
WARPMIND_INSTANTIATE(TaskSubmitParams);
WARPMIND_INSTANTIATE(TaskSubmitResult);
WARPMIND_INSTANTIATE(JobParams);
WARPMIND_INSTANTIATE(TaskStatusResult);
WARPMIND_INSTANTIATE(TaskCancelResult);
WARPMIND_INSTANTIATE(TaskResultResult);
WARPMIND_INSTANTIATE(ProgressParams);
WARPMIND_INSTANTIATE(KbStatsResult);
WARPMIND_INSTANTIATE(ShutdownParams);
WARPMIND_INSTANTIATE(Empty);

}  // namespace warpmind::daemon::protocol
