#pragma once
/// \file
/// What can be checked of a program task without building it.

#include "base/model/program_task.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warpmind::config {

/// The first thing wrong. `where` is a path as in program.toml: "pass.output", "kernels[1]".
struct ProgramTaskProblem {
  std::string where;
  std::string message;  ///< "what; how to fix"
};

[[nodiscard]] std::optional<ProgramTaskProblem> find_program_task_problem(const ProgramTask& task);

/// Whether the files that may be edited are regular files in `folder`, and the folders it needs
/// are there.
[[nodiscard]] std::optional<ProgramTaskProblem> find_missing_file(
    const ProgramTask& task, const std::filesystem::path& folder);

/// For a task that did not come from a file. Errors: invalid_argument as `kernels[1]: …`.
[[nodiscard]] Result<void> validate_program_task(const ProgramTask& task);

}  // namespace warpmind::config
