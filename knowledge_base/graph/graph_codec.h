#pragma once
/// \file
/// Records of the edges family as bytes: `[version byte][JSON]` (record_codec.h).

#include "knowledge_base/graph/reasoning_graph.h"

#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

[[nodiscard]] Result<std::string> encode_edge(const EdgeStatistics& edge);
[[nodiscard]] Result<EdgeStatistics> decode_edge(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_cluster(const StateCluster& cluster);
[[nodiscard]] Result<StateCluster> decode_cluster(std::string_view bytes);

/// Id of the cluster that a step was put into.
[[nodiscard]] Result<std::string> encode_step_cluster(const std::string& cluster);
[[nodiscard]] Result<std::string> decode_step_cluster(std::string_view bytes);

}  // namespace warpmind::knowledge_base
