#pragma once
/// \file
/// From a task, a kernel and a workload to what a runner is told.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/job/runner_job.h"

#include <cstdint>
#include <string>

namespace warpmind::profilers {

/// Every expression of the plan evaluated. The host function of tier B gets the task's arguments in
/// declared order where its plan does not say otherwise. Errors: invalid_argument in the words of
/// base/plan_evaluation: the candidate's plan is wrong.
[[nodiscard]] Result<Program> make_program(const Task& task, const Kernel& kernel,
                                           const Workload& workload, const std::string& binary);

/// The task's buffers on `workload`, bound to the judge's files.
[[nodiscard]] Result<std::vector<BufferSpec>> make_buffers(const Task& task,
                                                           const Workload& workload,
                                                           const PreparedCase& prepared);

/// Bytes of all buffers of one case. Errors: invalid_argument on overflow.
[[nodiscard]] Result<std::int64_t> case_bytes(const Task& task, const Workload& workload);

/// The workload called `name`. Errors: not_found.
[[nodiscard]] Result<const Workload*> find_workload(const Task& task, std::string_view name);

/// The timed workloads in the order of the task; the last one when none is marked.
[[nodiscard]] std::vector<const Workload*> timed_workloads(const Task& task);

/// The workload with the fewest bytes. The task has at least one.
[[nodiscard]] const Workload& smallest_workload(const Task& task);

}  // namespace warpmind::profilers
