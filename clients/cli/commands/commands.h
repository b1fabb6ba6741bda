#pragma once
/// \file
/// The commands, one file each: options in, exit code out. Overloads, so that the program is one
/// std::visit.

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
[[nodiscard]] ExitCode run_command(Session& session, const ExplainMovesOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const FlopsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const BaselineOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const KnowledgeOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const LspOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const McpOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const McpInstallOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const SkillOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DashboardOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DoctorOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const ConfigShowOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStartOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStopOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonStatusOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonLogLevelOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const DaemonUnitsOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const BenchOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const WorkerOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const TaskOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const QueueOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeOpenOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeBriefOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeSubmitOptions& options);
[[nodiscard]] ExitCode run_command(Session& session, const EpisodeCloseOptions& options);

/// `optimize FILE.cu --run COMMAND`.
[[nodiscard]] ExitCode run_program(Session& session, const OptimizeOptions& options);
/// `options.directory` is a folder with program.toml.
[[nodiscard]] ExitCode run_program_task(Session& session, const OptimizeOptions& options);

/// Errors of the connection, before there is one to ask.
ExitCode report_no_daemon(Session& session, const Error& error);

/// The task folder, absolute. Errors: not_found when it is no folder or has no task.toml.
[[nodiscard]] Result<std::filesystem::path> task_directory(const std::string& text);

}  // namespace warpmind::clients
