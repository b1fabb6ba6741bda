#pragma once
/// \file
/// What an episode adds to the projections: a commit calls it on the episode it stores, a rebuild
/// on every stored one in the order of the log. Deterministic: a function of the episode and of
/// what the base holds, without clock or chance.

#include "base/model/episode.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/remembered_kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// What depends on nothing stored; made before the writer's turn.
struct EpisodeFacts {
  std::vector<KernelId> kernels;  ///< content ids, by step
  std::vector<Evidence> evidence;
  std::optional<BestOffer> offer;
};

/// Empty for a held-out episode.
[[nodiscard]] EpisodeFacts facts_of(const Episode& episode);

struct ProjectedEpisode {
  std::vector<std::string> lessons;  ///< one a technique and bottleneck, in the order first tried
  std::vector<InsightId> harmful;    ///< insights whose lift is below zero now
};

/// Episode count, remembered kernel, posteriors, edges and clusters, lift counts. Nothing for a
/// held-out episode. Insights are apart: their events are truth, not projection.
[[nodiscard]] Result<ProjectedEpisode> project_episode(ChangeSet& change, const Episode& episode,
                                                       EpisodeFacts facts);

}  // namespace warpmind::knowledge_base
