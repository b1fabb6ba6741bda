#pragma once
/// \file
/// Writes a task as a folder that load_task() reads back identical.

#include "base/model/task.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace warpmind::config {

/// The text of task.toml; `[reference]` is left out where the task has none.
[[nodiscard]] std::string task_toml(const Task& task);

/// Writes kernel.cu, reference.cpp where the task has one, and last task.toml: a folder without it
/// is no task. Creates `folder` and its parents. Errors: invalid_argument as validate_task(), so
/// that what is written can be read; conflict when `folder` holds a task.toml already;
/// external_failure.
/// `values` is the folder of the files that RecordedInput::values names.
[[nodiscard]] Result<void> write_task(const std::filesystem::path& folder, const Task& task,
                                      const std::filesystem::path& values = {});

}  // namespace warpmind::config
