#pragma once
/// \file
/// Values of the reasoning graph: in which order techniques pay at which bottleneck, with examples;
/// and the clusters of performance states it is kept by. docs/graph.md.

#include "base/model/insight.h"
#include "base/model/posterior_counts.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind {

/// A performance state: a named class, and what sets it apart within the class.
struct StateCluster {
  std::string id;    ///< "memory_bandwidth", "memory_bandwidth/2"
  std::string name;  ///< for a person
  BottleneckClass bottleneck = BottleneckClass::unknown;
  std::map<std::string, double> centroid;  ///< profile features
  std::int64_t members = 0;
  std::string merged_into;
  std::string source;  ///< "seed" or "data"
  bool operator==(const StateCluster&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id);
    field.required("name", self.name);
    field.required("bottleneck", self.bottleneck);
    field.required("centroid", self.centroid);
    field.required("members", self.members);
    field.required("merged_into", self.merged_into, "cluster that took it in; empty = alive");
    field.required("source", self.source);
  }
};

/// An example of a transition: a step that was verified and measured.
struct EdgeExample : StepRef {
  KernelId before;
  KernelId after;
  double log_gain = 0;
  std::string parameters;
  bool operator==(const EdgeExample&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("episode", self.episode);
    field.required("step", self.step);
    field.required("task", self.task);
    field.required("operator_family", self.operator_family);
    field.required("before", self.before, "kernel ids");
    field.required("after", self.after);
    field.required("log_gain", self.log_gain);
    field.required("parameters", self.parameters);
  }
};

/// `to` done right after `from` ("" = first thing) in a cluster on a device.
struct Edge {
  Provider provider = Provider::gpu;
  std::string from;
  std::string to;
  std::string cluster;  ///< id of a StateCluster; "" = all clusters
  std::string family;   ///< "sm_90"; "" = all
  std::string device;   ///< "NVIDIA H200"; "" = all
  // clang-tidy 14 takes the 0 that a defaulted comparison compares with for a pointer.
  auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What was seen of a transition.
struct EdgeStatistics : Edge {
  PosteriorCounts counts;
  std::int64_t better = 0;                            ///< became the incumbent
  std::vector<EdgeExample> examples;                  ///< best three, of different tasks first
  std::map<std::string, std::int64_t> failures = {};  ///< steps that failed, by name of the outcome
  bool operator==(const EdgeStatistics&) const = default;

  /// A summary: `failures` and the spread of the gains stay at home.
  static void describe(auto& self, auto& field) {
    field.required("from", self.from);
    field.required("to", self.to);
    field.required("cluster", self.cluster);
    field.required("family", self.family);
    field.required("device", self.device);
    field.required("provider", self.provider);
    field.required("measured", self.counts.confirmed.weight, "confirmed comparisons");
    field.required("mean_log_gain", self.counts.confirmed.mean, "of them");
    field.required("screened", self.counts.screened.weight, "seen not to gain, weight 1/2 each");
    field.required("feasible", self.counts.feasible);
    field.required("infeasible", self.counts.infeasible);
    field.required("better", self.better, "became the incumbent");
    field.required("examples", self.examples);
  }
};

/// Predicted against measured, over all stored steps with a prediction.
struct Calibration {
  std::int64_t predictions = 0;
  double coverage = 0;
  double coverage_low = 0;
  double coverage_high = 0;
  double spearman = 0;
  double bias = 0;
  bool operator==(const Calibration&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("predictions", self.predictions, "steps that were predicted and measured");
    field.required("coverage", self.coverage, "share inside the predicted 80 % interval");
    field.required("coverage_low", self.coverage_low, "95 % interval of it");
    field.required("coverage_high", self.coverage_high, "95 % interval of it");
    field.required("spearman", self.spearman,
                   "rank correlation of predicted and measured ln(gain)");
    field.required("bias", self.bias, "mean of measured - predicted ln(gain)");
  }
};

}  // namespace warpmind
