#pragma once
/// \file
/// What threads hold after they have combined their sums: found by running the code behind the loop
/// for all threads of a block side by side, where a sum is the set of lanes that went into it.
/// Trees in shared memory, shuffles and functions that hold them are all the same to it.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <map>
#include <set>
#include <string>

namespace warpmind::agents::builtin {

/// Threads that share a row: neighbours of a block, or all of the grid.
struct LaneGroup {
  std::int64_t lanes = 1;
  bool is_grid = false;
};

struct LaneTotals {
  /// Expressions behind the loop whose value, in the first thread of a group, is the sum of all
  /// lanes of the group; the outermost of those that contain each other.
  std::map<NodeId, const Local*> totals;
  /// Statements that only combine: shuffles, stores to shared memory, barriers.
  std::set<NodeId> dropped;
  std::string refusal;  ///< one clause; empty: what the group stores follows from the totals
};

/// `loop` stands in front of the code in which the lanes meet. At the largest timed and
/// at the last launch of the function.
[[nodiscard]] LaneTotals find_lane_totals(const Scene& scene, const KernelBody& body,
                                          const LoopFacts& loop, const LaneGroup& group);

}  // namespace warpmind::agents::builtin
