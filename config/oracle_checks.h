#pragma once
/// \file
/// Checks of what a task says about its own judging: hidden ranges and relations.

#include "base/model/task.h"
#include "config/task_validator.h"

#include <cstdint>
#include <optional>

namespace warpmind::config {

/// Bytes of all arguments of the largest hidden workload: its reference runs on the CPU, once for
/// every kernel that is judged.
inline constexpr std::int64_t kHiddenBytesLimit = std::int64_t{64} << 20U;

/// For a task whose workloads and arguments are in order.
[[nodiscard]] std::optional<TaskProblem> find_hidden_problem(const Task& task);
[[nodiscard]] std::optional<TaskProblem> find_relation_problem(const Task& task);

}  // namespace warpmind::config
