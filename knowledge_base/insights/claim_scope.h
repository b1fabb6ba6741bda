#pragma once
/// \file
/// What an episode's claims have in common: where they hold, and where they come from.

#include "base/model/episode.h"
#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/reflection.h"

#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// What a claim of an episode is about.
struct ClaimSubject : TechniqueSetting {
  std::string parameters;
};

/// Kind, action, scope and provenance; no wording. The scope is the bottleneck, the episode's
/// operator family, `dtypes`, and the generation of the device (sm_9x).
[[nodiscard]] Insight claim_about(const Episode& episode, const std::vector<Dtype>& dtypes,
                                  InsightKind kind, const ClaimSubject& subject);

/// Wording and signatures, which its id does not depend on: those of the kernel that step
/// `position` edited.
void sign(Insight& insight, const Episode& episode, std::size_t position,
          const DeviceIdentity& device);

/// Of the arrays that a stored task works on, sorted; empty when it is not stored.
[[nodiscard]] Result<std::vector<Dtype>> dtypes_of(const RecordReader& reader, const TaskId& id);

}  // namespace warpmind::knowledge_base
