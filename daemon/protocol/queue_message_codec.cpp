#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"
#include "daemon/protocol/queue_messages.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueAddParams, directory, evaluations, seconds,
                                                provider, proposer, replay_file, fixture_directory,
                                                device, policy, workers, seed, model, tokens, usd,
                                                gpu_seconds, effort, user, priority, after,
                                                not_before, deadline, every)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueAddResult, job_id, ahead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueListParams, limit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueJob, job_id, state, task, user, priority,
                                                background, held, value, why, lane, every, proposed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueLane, name, device, model, job_id, busy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueListResult, night, quiet, waiting, running,
                                                jobs, lanes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueJobsParams, job_ids, all)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueJobsResult, changed, refused)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueMoveParams, job_id, priority)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueWhyParams, job_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueWhyResult, job_id, why, value, worth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueRulesParams, quiet_hours, night, user)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueRulesResult, quiet_hours, quiet, night,
                                                night_limits, night_spent, night_left, user_limits,
                                                user_spent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueReportParams, night, job_ids)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueReportPrediction, predicted, low, high, ratio)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueReportRoofline, intensity, given_gflops,
                                                best_gflops, peak_gflops, bandwidth_gb_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueReportInsight, insight, change, claim, reason,
                                                job_id)
#define WARPMIND_QUEUE_REPORT_JOB                                                                  \
  job_id, task, user, state, outcome, provider, ratio, confidence, summary, error, dead, attempts, \
      spent, history, lessons, curve, predicted, covered, device, workload, bottleneck, given_ns,  \
      best_ns, how, candidates, predictions, roofline
static void to_json(nlohmann::json& nlohmann_json_j, const QueueReportJob& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, WARPMIND_QUEUE_REPORT_JOB))
  // Low confidence has no interval.
  const bool told = nlohmann_json_t.high > 0;
  nlohmann_json_j["low"] = told ? nlohmann::json(nlohmann_json_t.low) : nlohmann::json();
  nlohmann_json_j["high"] = told ? nlohmann::json(nlohmann_json_t.high) : nlohmann::json();
}
static void from_json(const nlohmann::json& nlohmann_json_j, QueueReportJob& nlohmann_json_t) {
  const QueueReportJob nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(
      NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, WARPMIND_QUEUE_REPORT_JOB))
  std::optional<double> bound;
  codec::take_member(nlohmann_json_j, "low", bound, std::optional<double>());
  nlohmann_json_t.low = bound.value_or(0);
  codec::take_member(nlohmann_json_j, "high", bound, std::optional<double>());
  nlohmann_json_t.high = bound.value_or(0);
}
#undef WARPMIND_QUEUE_REPORT_JOB
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(QueueReportResult, night, nights, jobs, spent,
                                                charged, outcomes, night_limits, insights)

WARPMIND_INSTANTIATE(QueueAddParams);
WARPMIND_INSTANTIATE(QueueAddResult);
WARPMIND_INSTANTIATE(QueueListParams);
WARPMIND_INSTANTIATE(QueueListResult);
WARPMIND_INSTANTIATE(QueueJobsParams);
WARPMIND_INSTANTIATE(QueueJobsResult);
WARPMIND_INSTANTIATE(QueueMoveParams);
WARPMIND_INSTANTIATE(QueueWhyParams);
WARPMIND_INSTANTIATE(QueueWhyResult);
WARPMIND_INSTANTIATE(QueueRulesParams);
WARPMIND_INSTANTIATE(QueueRulesResult);
WARPMIND_INSTANTIATE(QueueReportParams);
WARPMIND_INSTANTIATE(QueueReportResult);

}  // namespace warpmind::daemon::protocol
