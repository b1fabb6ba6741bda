#pragma once
/// \file
/// The reasoning graph (base/model/reasoning_graph.h) of an open base. docs/graph.md.

#include "base/model/episode.h"
#include "base/model/reasoning_graph.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

struct EdgeFilter {
  std::string from = {};     ///< "" = first things; "*" = any
  std::string cluster = {};  ///< "" = all together; "*" = by cluster
  std::string device = {};   ///< "" = all together; "NVIDIA H200" or "sm_90" = there, by cluster
  std::optional<Provider> provider = {};
  std::int64_t limit = 100;
};

/// Threads: any.
class ReasoningGraph {
 public:
  /// `base` must outlive it.
  explicit ReasoningGraph(OpenBase& base) : base_(base) {}

  /// Most evidence first. What a merged cluster saw is part of the one that took it in.
  [[nodiscard]] Result<std::vector<EdgeStatistics>> edges(const EdgeFilter& filter) const;
  /// All of them, merged ones too, in the order of classes and ages.
  [[nodiscard]] Result<std::vector<StateCluster>> clusters() const;
  /// Id of the cluster that a state with these profile features belongs to; changes nothing.
  [[nodiscard]] Result<std::string> cluster_of(BottleneckClass bottleneck,
                                               const std::map<std::string, double>& profile) const;
  /// Id of the cluster that a stored step was put into, or of the one that took it in since.
  /// nullopt where the step said nothing about a technique.
  [[nodiscard]] Result<std::optional<std::string>> cluster_of(const EpisodeId& episode,
                                                              std::int64_t step) const;
  [[nodiscard]] Result<Calibration> calibration(std::optional<Provider> provider) const;

  /// ReGraphT's form: {"node":[{index,name,in,out}],"edge":[{src,tgt,examples}]}, with our
  /// statistics in further members.
  [[nodiscard]] Result<std::string> export_json() const;
  /// Nodes become technique names, examples become claims: no statistics are taken over. Returns
  /// how many claims were new. Errors: invalid_argument naming the place.
  [[nodiscard]] Result<std::int64_t> import_json(const std::string& json,
                                                 const std::string& source);

 private:
  OpenBase& base_;
};

}  // namespace warpmind::knowledge_base
