#pragma once
/// \file
/// Where builtin_speed takes its tasks from: folders, and programs with a record of a run.

#include "base/model/task.h"
#include "base/result.h"
#include "tests/bench/builtin_speed/speed_options.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::speed {

/// A task that has not been read yet.
struct TaskSource {
  std::string name;
  std::filesystem::path folder;   ///< of a task; empty for a program
  std::filesystem::path program;  ///< NAME.cu, with NAME.record beside it
};

/// Those that the options name, sorted within each kind, `only` and `shard` applied. Errors:
/// not_found for a folder of records that there is not.
[[nodiscard]] Result<std::vector<TaskSource>> find_tasks(const Options& options);

/// Errors: why it is no task, one line.
[[nodiscard]] Result<Task> read_task(const TaskSource& source);

}  // namespace warpmind::speed
