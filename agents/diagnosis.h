#pragma once
/// \file
/// From numbers to a performance state: what a kernel spends time on that it would not need.

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

/// Deterministic. Estimates for each cause the time that the plan would save at most without it,
/// and ranks by that; `at_limit` where hardly anything is left to save. Looks at the launch with
/// the largest share of time. Without hardware counters most causes cannot be told: confidence is
/// low then, or the class `unknown`. How each cost is estimated: docs/diagnosis.md, decision 0060.
[[nodiscard]] Bottleneck diagnose(const DiagnosisInput& input);

}  // namespace warpmind::agents
