#pragma once
/// \file
/// The gate: alone moves an insight between the states that evidence decides. Deterministic. The
/// table of transitions is in docs/knowledge.md.

#include "base/model/insight.h"
#include "knowledge_base/insights/insight_fold.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

struct Judgement {
  InsightState state = InsightState::proposed;
  std::string reason;              ///< one sentence with the numbers
  std::vector<EpisodeId> because;  ///< at most 8
  bool operator==(const Judgement&) const = default;
};

/// Whether the gate may move it at all: not pinned, not taken off offer by a person or by lift, its
/// source trusted.
[[nodiscard]] bool may_judge(const StoredInsight& stored);

/// Where the evidence puts it; nullopt when it is there already or may not be moved.
[[nodiscard]] std::optional<Judgement> judge(const StoredInsight& stored);

/// Confirmed episodes on the supporting (or the other) side of `provider` that are independent of
/// each other: of different tasks or devices. Two at most, fewer than two = not independent.
[[nodiscard]] std::vector<EpisodeId> independent_episodes(const StoredInsight& stored,
                                                          Provider provider, bool supporting);

}  // namespace warpmind::knowledge_base
