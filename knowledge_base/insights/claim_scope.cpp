#include "knowledge_base/insights/claim_scope.h"

#include "config/device_table.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/features.h"

#include <set>

namespace warpmind::knowledge_base {

Insight claim_about(const Episode& episode, const std::vector<Dtype>& dtypes, InsightKind kind,
                    const ClaimSubject& subject) {
  Insight insight;
  insight.kind = kind;
  insight.action = {{subject.technique}, subject.parameters};
  if (!episode.operator_family.empty()) {
    insight.scope.operator_families = {episode.operator_family};
  }
  insight.scope.dtypes = dtypes;
  insight.scope.bottlenecks = {subject.bottleneck};
  if (subject.device.compute_major > 0) {
    insight.scope.capability_min = 10 * subject.device.compute_major;
    insight.scope.capability_max = insight.scope.capability_min + 9;
  }
  insight.provenance.source = "episodes";
  insight.provenance.toolkit = subject.toolkit;
  insight.provenance.driver = subject.device.driver;
  return insight;
}

void sign(Insight& insight, const Episode& episode, std::size_t position,
          const DeviceIdentity& device) {
  const Step& edited = episode.steps[edited_step(episode, position)];
  insight.code_signature = code_features(edited.candidate.kernel);
  const auto spec = config::device_table().match(device);
  insight.profile_signature =
      profile_features(edited.verdict, episode.steps[position].before, spec.value_or(DeviceSpec{}));
}

Result<std::vector<Dtype>> dtypes_of(const RecordReader& reader, const TaskId& id) {
  WARPMIND_TRY(const auto bytes, reader.get(Family::tasks, task_key(id)));
  if (!bytes) return std::vector<Dtype>();
  WARPMIND_TRY(const auto task, decode_task(*bytes));
  std::set<Dtype> dtypes;
  for (const auto& argument : task.arguments) {
    if (argument.kind != ArgumentKind::scalar) dtypes.insert(argument.dtype);
  }
  return std::vector<Dtype>(dtypes.begin(), dtypes.end());
}

}  // namespace warpmind::knowledge_base
