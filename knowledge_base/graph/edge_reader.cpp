#include "knowledge_base/graph/edge_reader.h"

#include "knowledge_base/graph/edge_learning.h"
#include "knowledge_base/graph/graph_codec.h"
#include "knowledge_base/graph/state_clusters.h"
#include "knowledge_base/graph/state_store.h"
#include "knowledge_base/key_codec.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

/// The statistics of a class hold those of all its states already.
bool is_class(const std::string& cluster) { return cluster.find('/') == std::string::npos; }

EdgeLevel level_of(const EdgeFilter& filter) {
  if (filter.device.starts_with("sm_")) return EdgeLevel::family;
  if (!filter.device.empty()) return EdgeLevel::device;
  return filter.cluster.empty() ? EdgeLevel::edge : EdgeLevel::cluster;
}

const Edge& place_of(const EdgeStatistics& edge) { return edge; }

std::int64_t tries(const EdgeStatistics& edge) {
  return edge.counts.feasible + edge.counts.infeasible;
}

/// Joins neighbours of the same place; they are in order of it.
std::vector<EdgeStatistics> joined(std::vector<EdgeStatistics> edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  std::vector<EdgeStatistics> whole;
  for (auto& edge : edges) {
    if (!whole.empty() && place_of(whole.back()) == place_of(edge)) {
      join(whole.back(), edge);
    } else {
      whole.push_back(std::move(edge));
    }
  }
  return whole;
}

bool wanted_place(const EdgeFilter& filter, const EdgeStatistics& edge) {
  if (filter.from != "*" && edge.from != filter.from) return false;
  if (!filter.device.empty() && edge.device != filter.device && edge.family != filter.device) {
    return false;
  }
  return !filter.provider || edge.provider == *filter.provider;
}

}  // namespace

Result<const std::vector<StateCluster>*> EdgeReader::states(BottleneckClass bottleneck) {
  const auto known = states_.find(bottleneck);
  if (known != states_.end()) return &known->second;
  WARPMIND_TRY(auto loaded, load_states(database_, snapshot_, bottleneck));
  return &(states_[bottleneck] = std::move(loaded));
}

Result<std::string> EdgeReader::cluster_of(BottleneckClass bottleneck, const Features& profile) {
  WARPMIND_TRY(const auto* known, states(bottleneck));
  std::string found = nearest(*known, bottleneck, profile);
  return found.empty() ? std::string(name_of(bottleneck)) : std::move(found);
}

Result<std::string> EdgeReader::resolve(const std::string& cluster) {
  const auto bottleneck = class_of(cluster);
  if (!bottleneck) {
    return fail(Errc::invalid_argument, "'" + cluster +
                                            "' is no cluster: it must begin with one of " +
                                            all_names_of<BottleneckClass>());
  }
  WARPMIND_TRY(const auto* known, states(*bottleneck));
  const bool exists = std::any_of(known->begin(), known->end(),
                                  [&](const StateCluster& state) { return state.id == cluster; });
  if (!exists) {
    return fail(Errc::not_found, "there is no cluster '" + cluster + "'; those of its class are " +
                                     std::string(name_of(*bottleneck)) +
                                     " and what begins with its name and '/'");
  }
  return alive(*known, cluster);
}

Result<PosteriorCounts> EdgeReader::counts(const EdgeKey& key) {
  std::vector<std::string> clusters{key.cluster};
  if (!key.cluster.empty() && !is_class(key.cluster)) {
    WARPMIND_TRY(const auto target, resolve(key.cluster));
    clusters = {target};
    if (!is_class(target)) {
      WARPMIND_TRY(const auto* known, states(class_of(target).value_or(BottleneckClass::unknown)));
      for (const auto& state : *known) {
        if (state.id != target && alive(*known, state.id) == target) clusters.push_back(state.id);
      }
    }
  }
  PosteriorCounts sum;
  for (const auto& cluster : clusters) {
    EdgeKey at = key;
    at.cluster = cluster;
    WARPMIND_TRY(const auto bytes, database_.get(Family::edges, edge_key(at), snapshot_));
    if (!bytes) continue;
    WARPMIND_TRY(const auto edge, decode_edge(*bytes));
    sum = sum.plus(edge.counts);
  }
  return sum;
}

Result<std::vector<EdgeStatistics>> EdgeReader::all(EdgeLevel level) const {
  std::vector<EdgeStatistics> edges;
  const Database::Range range{Family::edges, edge_prefix(level), ScanOrder::ascending, snapshot_};
  WARPMIND_CHECK(
      database_.scan(range, [&edges](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(auto edge, decode_edge(value));
        edges.push_back(std::move(edge));
        return true;
      }));
  return edges;
}

Result<std::vector<EdgeStatistics>> EdgeReader::edges(const EdgeFilter& filter) {
  if (filter.limit < 1 || filter.limit > kMostEdges) {
    return fail(Errc::invalid_argument, std::to_string(filter.limit) +
                                            " edges were asked for; the limit must be 1 to " +
                                            std::to_string(kMostEdges));
  }
  std::string cluster = filter.cluster;
  if (!cluster.empty() && cluster != "*") {
    WARPMIND_TRY(cluster, resolve(cluster));
  }
  WARPMIND_TRY(auto found, all(level_of(filter)));
  std::vector<EdgeStatistics> chosen;
  for (auto& edge : found) {
    if (!wanted_place(filter, edge)) continue;
    if (!edge.cluster.empty()) {
      WARPMIND_TRY(auto target, resolve(edge.cluster));
      if (is_class(target) && target != edge.cluster) continue;
      edge.cluster = std::move(target);
      const bool fits =
          cluster == "*" || (cluster.empty() ? is_class(edge.cluster) : edge.cluster == cluster);
      if (!fits) continue;
    }
    chosen.push_back(std::move(edge));
  }
  chosen = joined(std::move(chosen));
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return tries(a) > tries(b); });
  if (chosen.size() > static_cast<std::size_t>(filter.limit)) {
    chosen.resize(static_cast<std::size_t>(filter.limit));
  }
  return chosen;
}

}  // namespace warpmind::knowledge_base
