#pragma once
/// \file
/// Operations of launches whose loops depend on data: executed by the simulator, on inputs of the
/// judge, in a sandboxed runner.

#include "base/model/device.h"
#include "base/model/task.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/flops/plan_count.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace warpmind::profilers {

/// Threads of all launches together; more are not simulated for a count.
inline constexpr std::uint64_t kMostCountedThreads = std::uint64_t{1} << 20U;

/// The launches of the task's kernel on `workload`, in the order of the plan; every block runs.
/// Errors: invalid_argument for a workload with more threads; unavailable without simulator, worker
/// or judge; external_failure with what the simulator said.
[[nodiscard]] Result<std::vector<LaunchCount>> simulate_counts(const Task& task,
                                                               const Workload& workload,
                                                               const DeviceSpec& device,
                                                               const config::Settings& settings,
                                                               const std::stop_token& stop);

}  // namespace warpmind::profilers
