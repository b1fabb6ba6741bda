#pragma once
/// \file
/// How the work of one thread can be given to a group of lanes: which of its loops they share, what
/// they combine afterwards, and what only the first of them does.

#include "agents/builtin/loops/parallel_loop.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct CombinedReduction {
  Reduction reduction;
  /// The loop after which the lanes combine: the shared one, or one around it that names the
  /// variable nowhere else.
  NodeId after = kNoNode;
};

struct SharedLoop {
  LoopFacts facts;
  std::vector<CombinedReduction> combined;
  bool needs_barriers = false;  ///< what it stores is also met outside of it
  bool is_apart = false;        ///< the caller writes how the lanes share it
};

struct LaneSpread {
  std::vector<SharedLoop> loops;
  std::vector<NodeId> first_lane_only;  ///< statements that store or count
  std::string refusal;                  ///< one clause; empty: `loops` is not
};

/// Every lane runs all of the rest, with the values of the one thread. `apart` are loops that the
/// caller knows how to share.
[[nodiscard]] LaneSpread spread_over_lanes(const KernelBody& body, const BufferNames& buffer,
                                           const Injective& injective,
                                           const std::vector<LoopFacts>& apart = {});

/// Whether an access moves by one element an iteration.
[[nodiscard]] bool is_contiguous(const KernelBody& body, const MemoryAccess& access,
                                 const CountedLoop& loop);

}  // namespace warpmind::agents::builtin
