#pragma once
/// \file
/// Everything about a task and its kernel that can be checked without compiling. The same checks
/// hold for a folder (config/task_file.h), a task that a client submits, and a candidate's plan.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace warpmind::config {

/// Bytes of all arguments and scratch buffers of one workload.
inline constexpr std::int64_t kWorkloadBytesLimit = std::int64_t{16} << 30U;
inline constexpr std::size_t kSourceBytesLimit = std::size_t{4} << 20U;
/// Arguments, workloads, launches, scratch buffers: each list.
inline constexpr std::size_t kListLimit = 64;

/// The first thing wrong. `where` is a path as in task.toml: "kernel.launch[0].grid".
struct TaskProblem {
  std::string where;
  std::string message;  ///< "what; how to fix"
};

/// Checks all but the kernel: names, shapes, scalars, workloads, contract, cost, reference.
[[nodiscard]] std::optional<TaskProblem> find_task_problem(const Task& task);

/// Checks `kernel` as a solution of `task`, which has passed find_task_problem().
[[nodiscard]] std::optional<TaskProblem> find_kernel_problem(const Kernel& kernel,
                                                             const Task& task);

/// Both, for a task that did not come from a folder.
/// Errors: invalid_argument as `task 'x': kernel.launch[0].grid: …`.
[[nodiscard]] Result<void> validate_task(const Task& task);

/// For a candidate. Errors: invalid_argument as `kernel.launch[0].grid: …`.
[[nodiscard]] Result<void> validate_kernel(const Kernel& kernel, const Task& task);

}  // namespace warpmind::config
