#pragma once
/// \file
/// The commands `kb …`, a file for each group of them, and what they share.

#include "clients/cli/commands/asking.h"
#include "clients/cli/knowledge_options.h"

#include <string>
#include <string_view>

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const KnowledgeOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbStatsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbSearchOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbShowOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbWhyOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbHistoryOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbAddOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbEditOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbChangeOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbSupersedeOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbUndoOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbSourcesOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbTechniquesOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbFactsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbGraphOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbClustersOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbCalibrationOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbVerifyOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbRebuildOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbBackupOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbBackupsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbRestoreOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbCheckpointOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbCompactOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbExportOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbImportOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KbMergeOptions& options);

/// One bound of a scope. "90", "9.0", "sm_90" = 90. Errors: invalid_argument.
[[nodiscard]] Result<std::int64_t> parse_capability(std::string_view text);

}  // namespace warpmind::clients
