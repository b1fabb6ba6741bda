#pragma once
/// \file
/// Counts that a block keeps in shared memory: that it clears all of them before, and adds each of
/// them to one place in memory after.

#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/scene.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// The pointer parameter whose elements get the counts: `clearing` sets all of `shared` to zero,
/// `merging` adds each of its elements once to the one of the same number. Errors: not_found with a
/// clause.
[[nodiscard]] Result<std::string> merged_counters(const Scene& scene, const KernelBody& body,
                                                  const Local& shared,
                                                  const std::vector<NodeId>& clearing,
                                                  const std::vector<NodeId>& merging);

}  // namespace warpmind::agents::builtin
