#pragma once
/// \file
/// Looks at a program's folder and proposes a program task: how it is built and run, and what
/// tells a right run. Nothing is built or run here.

#include "base/model/program_task.h"
#include "base/result.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::config {

struct ProgramTaskProposal {
  ProgramTask task;
  std::vector<std::string> notes;  ///< what was guessed and why, a sentence each
};

/// Reads a Makefile, CMakeLists.txt or the CUDA files themselves. Errors: not_found;
/// invalid_argument when there is no CUDA file with a kernel, or no way to build it is seen.
[[nodiscard]] Result<ProgramTaskProposal> propose_program_task(const std::filesystem::path& folder);

/// A licence that forbids to pass a text on, with the file that has it; nullopt when none is seen.
[[nodiscard]] std::optional<std::string> find_restricting_licence(
    const std::filesystem::path& folder, const std::vector<std::string>& files);

/// "kernels.cu" and so on: files with device code, those of `files` that are text.
[[nodiscard]] std::vector<std::string> files_with_kernels(const std::filesystem::path& folder,
                                                          const std::vector<std::string>& files);

/// By the words that the sources print: PASS and FAIL, passed and failed. Without any, exit code 0.
[[nodiscard]] ProgramPassRule guess_pass_rule(const std::filesystem::path& folder,
                                              const std::vector<std::string>& files);

/// A folder's name as the name of a task.
[[nodiscard]] std::string program_task_name(const std::filesystem::path& folder);

}  // namespace warpmind::config
