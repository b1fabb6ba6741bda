#pragma once
/// \file
/// Clusters of performance states as they are stored: the seed, with what was learned laid over it.

#include "knowledge_base/change_set.h"
#include "knowledge_base/graph/reasoning_graph.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// States of a class: that of the class itself first, then the other ones of the seed, then by age.
[[nodiscard]] Result<std::vector<StateCluster>> load_states(const ChangeSet& change,
                                                            BottleneckClass bottleneck);
[[nodiscard]] Result<std::vector<StateCluster>> load_states(const Database& database,
                                                            const rocksdb::Snapshot* snapshot,
                                                            BottleneckClass bottleneck);

/// Writes those of `after` that differ from `before`.
[[nodiscard]] Result<void> save_states(ChangeSet& change, const std::vector<StateCluster>& before,
                                       const std::vector<StateCluster>& after);

/// The class in an id: "memory_bandwidth/2" is of memory_bandwidth. nullopt for another shape.
[[nodiscard]] std::optional<BottleneckClass> class_of(std::string_view cluster);

}  // namespace warpmind::knowledge_base
