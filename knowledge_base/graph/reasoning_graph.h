#pragma once
/// \file
/// The reasoning graph: in which order techniques pay at which bottleneck, with examples; and the
/// clusters of performance states it is kept by. docs/graph.md.

#include "base/model/episode.h"
#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/posterior.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

/// A performance state: a named class, and what sets it apart within the class.
struct StateCluster {
  std::string id;    ///< "memory_bandwidth", "memory_bandwidth/2"
  std::string name;  ///< for a person
  BottleneckClass bottleneck = BottleneckClass::unknown;
  std::map<std::string, double> centroid;  ///< profile features
  std::int64_t members = 0;
  std::string merged_into;  ///< id of the cluster that took it in; empty = alive
  std::string source;       ///< "seed" or "data"
  bool operator==(const StateCluster&) const = default;
};

/// An example of a transition: a step that was verified and measured.
struct EdgeExample {
  EpisodeId episode;
  std::int64_t step = 0;
  TaskId task;
  std::string operator_family;
  KernelId before;
  KernelId after;
  double log_gain = 0;
  std::string parameters;
  bool operator==(const EdgeExample&) const = default;
};

/// Statistics of doing `to` right after `from` ("" = first thing) in a cluster on a device.
struct EdgeStatistics {
  std::string from;
  std::string to;
  std::string cluster;  ///< id; "" = all clusters
  std::string family;   ///< "sm_90"; "" = all
  std::string device;   ///< "NVIDIA H200"; "" = all
  Provider provider = Provider::gpu;
  PosteriorCounts counts;
  std::int64_t better = 0;                            ///< became the incumbent
  std::vector<EdgeExample> examples;                  ///< best three, of different tasks first
  std::map<std::string, std::int64_t> failures = {};  ///< steps that failed, by name of the outcome
  bool operator==(const EdgeStatistics&) const = default;
};

struct EdgeFilter {
  std::string from = {};     ///< "" = first things; "*" = any
  std::string cluster = {};  ///< "" = all together; "*" = by cluster
  std::string device = {};   ///< "" = all together; "NVIDIA H200" or "sm_90" = there, by cluster
  std::optional<Provider> provider = {};
  std::int64_t limit = 100;
};

/// Predicted against measured, over all stored steps with a prediction.
struct Calibration {
  std::int64_t predictions = 0;
  double coverage = 0;  ///< share of measured gains inside the predicted 80 % interval
  double coverage_low = 0;
  double coverage_high = 0;  ///< 95 % interval of the coverage
  double spearman = 0;       ///< of predicted and measured ln(gain)
  double bias = 0;           ///< mean of measured - predicted ln(gain)
  bool operator==(const Calibration&) const = default;
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
