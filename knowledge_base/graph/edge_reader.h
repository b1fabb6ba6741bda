#pragma once
/// \file
/// Reads transitions from one snapshot, those of merged clusters through the cluster that took them
/// in.

#include "knowledge_base/database.h"
#include "knowledge_base/graph/reasoning_graph.h"
#include "knowledge_base/posterior.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

inline constexpr std::int64_t kMostEdges = 1000;

/// Not thread-safe. The database must outlive it.
class EdgeReader {
 public:
  explicit EdgeReader(const Database& database, const rocksdb::Snapshot* snapshot = nullptr)
      : database_(database), snapshot_(snapshot) {}

  /// Empty where nothing was observed. Errors: invalid_argument for a cluster of no class.
  [[nodiscard]] Result<PosteriorCounts> counts(const EdgeKey& key);
  /// Errors: invalid_argument (limit, name of a cluster), not_found (cluster).
  [[nodiscard]] Result<std::vector<EdgeStatistics>> edges(const EdgeFilter& filter);
  /// Every record of a level, as stored, in order of its key.
  [[nodiscard]] Result<std::vector<EdgeStatistics>> all(EdgeLevel level) const;
  /// Of a class; see load_states().
  [[nodiscard]] Result<const std::vector<StateCluster>*> states(BottleneckClass bottleneck);
  /// The cluster that a state with these profile features belongs to; its class when it is like
  /// none.
  [[nodiscard]] Result<std::string> cluster_of(BottleneckClass bottleneck,
                                               const std::map<std::string, double>& profile);
  /// The cluster that an id stands for. Errors: invalid_argument, not_found.
  [[nodiscard]] Result<std::string> resolve(const std::string& cluster);

 private:
  const Database& database_;
  const rocksdb::Snapshot* snapshot_;
  std::map<BottleneckClass, std::vector<StateCluster>> states_;
};

}  // namespace warpmind::knowledge_base
