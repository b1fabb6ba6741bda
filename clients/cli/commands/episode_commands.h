#pragma once
/// \file
/// Episodes whose candidates come from outside. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const EpisodeOpenOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeBriefOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeSubmitOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeCloseOptions& options);

}  // namespace warpmind::clients
