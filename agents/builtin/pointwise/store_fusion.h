#pragma once
/// \file
/// A pointwise launch inside the store of the launch before it, whatever that one computes.

#include "agents/builtin/pointwise/pointwise_fusion.h"

namespace warpmind::agents::builtin {

/// Launches `first` and `first + 1` of the plan: the first stores each element of a buffer once, by
/// one statement; the second is pointwise over that buffer. That it is each element and once is
/// counted thread by thread at workloads that are small enough, and probed at the others.
[[nodiscard]] Fusion fuse_into_store(const Scene& scene, std::size_t first);

}  // namespace warpmind::agents::builtin
