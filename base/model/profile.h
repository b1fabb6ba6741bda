#pragma once
/// \file
/// Named metrics with units and tier.

#include "base/enum_names.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind {

/// DESIGN 7.2. Higher tiers contain the lower.
enum class ProfileTier {
  t0,  ///< static: ptxas report, occupancy arithmetic
  t1,  ///< and events and roofline
  t2,  ///< and hardware counters
};
WARPMIND_ENUM_NAMES(ProfileTier, {ProfileTier::t0, "T0"}, {ProfileTier::t1, "T1"},
                    {ProfileTier::t2, "T2"});

/// How a value was come by. Only `measured` is evidence about a GPU.
enum class MetricOrigin {
  measured,  ///< counted or timed by hardware, or reported by ptxas
  exact,     ///< counted by the simulator: the machine counts the same
  modelled,  ///< predicted by the simulator's models of caches and time
};
WARPMIND_ENUM_NAMES(MetricOrigin, {MetricOrigin::measured, "measured"},
                    {MetricOrigin::exact, "exact"}, {MetricOrigin::modelled, "modelled"});

/// What the caches held when the counters were read.
enum class CacheState {
  unknown,  ///< nothing was run, or the record is older than the question
  cold,     ///< nothing of the plan's data: as in timing, which flushes L2
  warm,     ///< what an earlier run of the plan left there
};
WARPMIND_ENUM_NAMES(CacheState, {CacheState::unknown, "unknown"}, {CacheState::cold, "cold"},
                    {CacheState::warm, "warm"});

/// `name` is CUPTI's where CUPTI has one, else `warpmind__…` (see docs/measuring.md).
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;  ///< "ns", "percent", "ratio", "bytes", "registers", "count"
  MetricOrigin origin = MetricOrigin::measured;
  bool operator==(const Metric&) const = default;
};

struct KernelProfile {
  std::string kernel;
  double time_share = 1;  ///< of the plan's time, 0 … 1
  std::vector<Metric> metrics;

  [[nodiscard]] std::optional<double> find(std::string_view name) const {
    for (const auto& metric : metrics) {
      if (metric.name == name) return metric.value;
    }
    return std::nullopt;
  }
  bool operator==(const KernelProfile&) const = default;
};

/// What one line of the source costs: cycles that the simulator counted, or samples of the GPU.
struct LineProfile {
  std::string kernel;
  int line = 0;  ///< of the kernel's source, from 1
  std::vector<Metric> metrics;
  bool operator==(const LineProfile&) const = default;
};

struct Profile {
  ProfileTier tier = ProfileTier::t0;
  std::string workload;
  std::vector<KernelProfile> kernels;    ///< in launch order
  std::vector<std::string> absent = {};  ///< metrics that were asked for and refused
  std::string note = {};                 ///< why the tier is not higher, and how to raise it
  std::vector<LineProfile> lines = {};   ///< hottest first; empty where no provider counts by line
  CacheState caches = CacheState::unknown;
  bool operator==(const Profile&) const = default;
};

}  // namespace warpmind
