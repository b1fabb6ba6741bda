#pragma once
/// \file
/// Operations of launches whose loops depend on data: executed by the simulator, on inputs of the
/// judge, in a sandboxed runner.

#include "base/model/device.h"
#include "base/model/task.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/flops/plan_count.h"
#include "profilers/job/runner_job.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/worker_session.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace warpmind::profilers {

/// Threads of all launches together; more are not simulated for a count.
inline constexpr std::uint64_t kMostCountedThreads = std::uint64_t{1} << 20U;

/// A workload ready to be launched once: the kernel and inputs of the judge lie in the job
/// directory of a runner on the simulator. Members go in the order that their destructors need.
struct PreparedCount {
  std::unique_ptr<Sandbox> sandbox;
  std::unique_ptr<LabParts> parts;
  WorkerSession runner;
  RunnerJob job;
};

/// Errors: as simulate_counts(), but any number of threads.
[[nodiscard]] Result<PreparedCount> prepare_count(const Task& task, const Workload& workload,
                                                  const DeviceSpec& device,
                                                  const config::Settings& settings,
                                                  const std::stop_token& stop);

/// Runs it. Errors: external_failure with what the simulator said.
[[nodiscard]] Result<std::vector<LaunchCount>> run_count(PreparedCount& prepared,
                                                         const std::stop_token& stop);

/// Threads of all launches of the plan on `workload`. Errors: as make_program().
[[nodiscard]] Result<std::uint64_t> threads_of(const Task& task, const Workload& workload);

/// The launches of the task's kernel on `workload`, in the order of the plan; every block runs.
/// Errors: invalid_argument for a workload with more threads; unavailable without simulator, worker
/// or judge; external_failure with what the simulator said.
[[nodiscard]] Result<std::vector<LaunchCount>> simulate_counts(const Task& task,
                                                               const Workload& workload,
                                                               const DeviceSpec& device,
                                                               const config::Settings& settings,
                                                               const std::stop_token& stop);

}  // namespace warpmind::profilers
