#pragma once
/// \file
/// From numbers to a performance state: which limit holds a kernel back, by which metrics.

#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"

namespace warpmind::agents {

/// What is diagnosed. The references must outlive the call.
struct DiagnosisInput {
  const Task& task;
  const Kernel& kernel;
  const Verdict& verdict;  ///< build report and profile of `kernel`; any tier
  const DeviceSpec& device;
};

/// Rule-based and deterministic. Looks at the launch with the largest share of time. Works from T0
/// alone with low confidence; each tier adds rules. Rules and thresholds: docs/measuring.md.
[[nodiscard]] Bottleneck diagnose(const DiagnosisInput& input);

}  // namespace warpmind::agents
