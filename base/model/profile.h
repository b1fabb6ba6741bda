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

/// `name` is CUPTI's where CUPTI has one, else `warpmind__…` (see docs/measuring.md).
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;  ///< "ns", "percent", "ratio", "bytes", "registers", "count"
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

struct Profile {
  ProfileTier tier = ProfileTier::t0;
  std::string workload;
  std::vector<KernelProfile> kernels;  ///< in launch order
  std::vector<std::string> absent;     ///< metrics that were asked for and refused
  std::string note;                    ///< why the tier is not higher, and how to raise it
  bool operator==(const Profile&) const = default;
};

}  // namespace warpmind
