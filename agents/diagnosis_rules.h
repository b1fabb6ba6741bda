#pragma once
/// \file
/// The rules behind diagnose(): each looks at one launch and says how strongly its class applies.

#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/profile.h"
#include "base/model/task.h"

#include <optional>
#include <vector>

namespace warpmind::agents {

/// Everything a rule may look at, for one launch. Missing numbers are nullopt, never 0.
struct LaunchEvidence {
  const KernelProfile& profile;
  const Task& task;
  const DeviceSpec& device;
  std::optional<double> blocks;            ///< of the grid
  std::optional<double> threads;           ///< blocks x block size
  std::optional<double> compulsory_bytes;  ///< of the whole plan, from the task's cost model
  std::optional<double> plan_time_ns;      ///< measured, whole plan
  std::size_t launches = 1;
  int widest_access_bytes = 16;  ///< that a thread of the kernel may make, as far as its text says
};

/// A rule that fired. Severity orders the findings: about the factor of time at stake.
struct Finding {
  BottleneckClass which = BottleneckClass::unknown;
  double severity = 1;
  double confidence = 0.5;
  std::vector<DecidingMetric> deciders;
};

/// All rules that fired, strongest first.
[[nodiscard]] std::vector<Finding> apply_rules(const LaunchEvidence& evidence);

}  // namespace warpmind::agents
