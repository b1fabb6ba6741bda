#pragma once
/// \file
/// Reads and validates a task folder: task.toml, kernel file, reference (docs/tasks.md).

#include "base/model/task.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::config {

struct LoadedTask {
  Task task;
  std::vector<std::string> warnings;  ///< "no workload is marked timed = true; …"
};

/// Reads `<directory>/task.toml` and the files it names, and checks everything that can be checked
/// without compiling: names, dtypes, every expression on every workload, argument bindings, sizes,
/// launch limits. Errors: not_found; invalid_argument as `path:line:column: what; how to fix`.
[[nodiscard]] Result<LoadedTask> load_task(const std::filesystem::path& directory);

}  // namespace warpmind::config
