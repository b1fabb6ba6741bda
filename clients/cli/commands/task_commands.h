#pragma once
/// \file
/// The commands `task …`, and what they share.

#include "clients/cli/session.h"
#include "clients/cli/task_options.h"
#include "daemon/protocol/program_task_messages.h"

#include <filesystem>
#include <string>

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const TaskOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const TaskNewOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const TaskCheckOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const TaskImportOptions& options);

/// Asks the daemon for a check. Errors: the daemon's, and the connection's.
[[nodiscard]] Result<ProgramCheck> check_program_task(
    DaemonClient& client, const daemon::protocol::ProgramTaskCheckParams& params);

/// 0 admitted, 1 refused.
[[nodiscard]] ExitCode exit_code_for(const ProgramCheck& check);

}  // namespace warpmind::clients
