#pragma once
/// \file
/// The daemon and its surroundings: start, stop, state, settings, units, workers. Options in, exit
/// code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const DoctorOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ConfigShowOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStartOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStopOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStatusOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonLogLevelOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonUnitsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const WorkerOptions& options);

}  // namespace warpmind::clients
