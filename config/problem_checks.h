#pragma once
/// \file
/// Checks that the validators of tasks and of kernels share.

#include "base/model/task.h"
#include "base/result.h"
#include "config/task_validator.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace warpmind::config {

/// "argument" and 2 -> "argument[2]".
[[nodiscard]] std::string indexed(std::string_view list, std::size_t index);

/// `name` must be a C identifier and new to `taken`, which it then joins. `what`: "argument".
[[nodiscard]] std::optional<TaskProblem> check_new_name(std::string where, std::string_view what,
                                                        const std::string& name,
                                                        std::set<std::string>& taken);

[[nodiscard]] std::optional<TaskProblem> check_length(std::string where, std::string_view what,
                                                      std::size_t length);

/// Runs `check` on the sizes of each workload; names the workload in the problem.
[[nodiscard]] std::optional<TaskProblem> check_on_workloads(
    const Task& task, const std::string& where,
    const std::function<Result<void>(const Sizes&)>& check);

/// UTF-8 without NUL bytes, not empty, within kSourceBytesLimit.
[[nodiscard]] std::optional<TaskProblem> check_source(std::string where, std::string_view source);

/// Elements of a buffer argument. Errors: an extent below 1, an overflow.
[[nodiscard]] Result<std::int64_t> evaluate_elements(const Argument& argument, const Sizes& sizes);

}  // namespace warpmind::config
