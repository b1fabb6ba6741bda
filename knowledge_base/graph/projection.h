#pragma once
/// \file
/// What an episode adds to the graph and the clusters, in the batch of its commit.

#include "base/model/episode.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"

#include <vector>

namespace warpmind::knowledge_base {

/// Edge statistics, examples and clusters. Nothing of held-out tasks. `kernels` are the content ids
/// of the kernels of the steps. Deterministic: a rebuild in log order gives the same bytes.
[[nodiscard]] Result<void> project_graph(ChangeSet& change, const Episode& episode,
                                         const std::vector<KernelId>& kernels);

}  // namespace warpmind::knowledge_base
