#pragma once
/// \file
/// A program task as `optimize FILE.cu --run COMMAND --build COMMAND` takes a program.

#include "base/model/program_task.h"
#include "clients/cli/command_line.h"
#include "clients/cli/program_run/user_program.h"

#include <filesystem>
#include <string>

namespace warpmind::clients {

/// Whether `path` is a folder with program.toml and without task.toml.
[[nodiscard]] bool is_program_task(const std::filesystem::path& path);

/// The task's commands, done in a copy of its folder: the one file with kernels that may be changed
/// is the source. Errors: invalid_argument with what does not fit; not_found.
[[nodiscard]] Result<OptimizeOptions> program_task_options(const OptimizeOptions& given,
                                                           const ProgramTask& task,
                                                           const ProgramRuntime& runtime);

/// Whether what a run wrote is right by the task's rule.
[[nodiscard]] bool passes(const ProgramPassRule& rule, const std::string& output);

}  // namespace warpmind::clients
