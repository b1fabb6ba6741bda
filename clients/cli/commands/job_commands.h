#pragma once
/// \file
/// Jobs: what is submitted, watched, explained and fetched. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const OptimizeOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const StatusOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ResultOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const CancelOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const AttachOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const WaitOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const WhyOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ExportDataOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ExportVerifyOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ValidateOptions& options);

}  // namespace warpmind::clients
