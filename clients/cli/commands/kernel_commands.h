#pragma once
/// \file
/// What can be said of a kernel without an episode. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const ExplainMovesOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const FlopsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const BaselineOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const BenchOptions& options);

}  // namespace warpmind::clients
