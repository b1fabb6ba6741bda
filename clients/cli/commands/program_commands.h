#pragma once
/// \file
/// Whole programs: `optimize FILE.cu --run` and program tasks. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

/// `optimize FILE.cu --run COMMAND`.
[[nodiscard]] ExitCode run_program(Session& session, const OptimizeOptions& options);
/// `options.directory` is a folder with program.toml.
[[nodiscard]] ExitCode run_program_task(Session& session, const OptimizeOptions& options);

}  // namespace warpmind::clients
