#pragma once
/// \file
/// Program tasks from folders of public suites, which the user has a copy of.

#include "base/enum_names.h"
#include "base/model/program_task.h"
#include "base/result.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::config {

enum class ProgramSuite {
  hecbench,       ///< NAME-cuda/ with Makefile and main.cu; prints PASS or FAIL
  kernelblaster,  ///< NNN_name/ with driver.cpp on libtorch and init.cu; prints passed or failed
};

struct ImportOptions {
  std::map<std::string, std::string> arguments;  ///< of the program, by the task's name
  std::filesystem::path libtorch;                ///< as find_torch() takes it
  std::string search_path;              ///< PATH, on which a python3 with libtorch is looked for
  std::filesystem::path precompiled;    ///< folder with precompiled_torch.h.gch; empty = none
  std::optional<double> build_seconds;  ///< of kernelblaster's programs, s
};

/// Folders of the suite at or directly below `path`, sorted. Errors: not_found when there is none.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_suite_folders(
    ProgramSuite suite, const std::filesystem::path& path);

/// "softmax" for softmax-cuda.
[[nodiscard]] std::string suite_task_name(ProgramSuite suite, const std::filesystem::path& folder);

/// Copies the program into `into`, a new folder, and writes its program.toml. Errors:
/// invalid_argument with why it cannot be a task; conflict when `into` is there already.
[[nodiscard]] Result<ProgramTask> import_program(ProgramSuite suite,
                                                 const std::filesystem::path& folder,
                                                 const std::filesystem::path& into,
                                                 const ImportOptions& options);

}  // namespace warpmind::config

namespace warpmind {
using ProgramSuite = config::ProgramSuite;
WARPMIND_ENUM_NAMES(ProgramSuite, {ProgramSuite::hecbench, "hecbench"},
                    {ProgramSuite::kernelblaster, "kernelblaster"});
}  // namespace warpmind
