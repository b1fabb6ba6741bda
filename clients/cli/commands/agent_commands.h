#pragma once
/// \file
/// Editors, agents and browsers: `lsp`, `mcp`, `skill`, `dashboard`. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const LspOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const McpOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const McpInstallOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DashboardOptions& options);

}  // namespace warpmind::clients
