#pragma once
/// \file
/// Builds a CUDA program with nvcc and runs it on the simulator's runtime, with a record.

#include "base/result.h"

#include <filesystem>
#include <string>

namespace warpmind::hosting {

struct ProgramRun {
  std::string output;  ///< what it wrote to standard output
  std::string errors;
  int status = 0;                ///< as the shell gives it
  std::filesystem::path record;  ///< empty file when it made no call
};

/// Whether nvcc and the runtime are there.
[[nodiscard]] bool can_run_programs();

/// Errors: external_failure with nvcc's text when it does not build.
[[nodiscard]] Result<ProgramRun> run_program(const std::string& source,
                                             const std::filesystem::path& scratch,
                                             const std::string& name);

}  // namespace warpmind::hosting
