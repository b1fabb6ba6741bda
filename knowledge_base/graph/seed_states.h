#pragma once
/// \file
/// The performance states that are known before anything was measured.

#include "knowledge_base/graph/reasoning_graph.h"

#include <optional>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Those of a class: first the one named as the class itself, then its variants ("class/variant").
[[nodiscard]] std::vector<StateCluster> seed_states(BottleneckClass bottleneck);

/// Our state for a name of KernelBlaster's taxonomy ("memory_latency_bound"), for imports.
[[nodiscard]] std::optional<std::string_view> state_for_kernelblaster(std::string_view name);

}  // namespace warpmind::knowledge_base
