#pragma once
/// \file
/// Reads and writes program tasks: a folder with the program and program.toml
/// (docs/program_tasks.md).

#include "base/model/program_task.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::config {

inline constexpr std::string_view kProgramTaskFile = "program.toml";

/// `file` only appears in messages. Errors: invalid_argument as `file:line:column: what; how to
/// fix`. The result has passed find_program_task_problem().
[[nodiscard]] Result<ProgramTask> parse_program_task(std::string_view text, std::string_view file);

/// Reads `<folder>/program.toml`; the files it names must be there. Errors: also not_found.
[[nodiscard]] Result<ProgramTask> load_program_task(const std::filesystem::path& folder);

/// The text of program.toml, which parse_program_task() reads back identical.
[[nodiscard]] std::string program_task_toml(const ProgramTask& task);

/// Writes program.toml into a folder that has the program. Errors: invalid_argument as
/// validate_program_task(); conflict when there is one already; external_failure.
[[nodiscard]] Result<void> write_program_task(const std::filesystem::path& folder,
                                              const ProgramTask& task);

}  // namespace warpmind::config
