#pragma once
/// \file
/// The commands `kb …`, a file for each group of them, and what they share.

#include "clients/cli/commands/commands.h"
#include "clients/cli/knowledge_options.h"
#include "clients/cli/report/style.h"
#include "daemon/protocol/message_codec.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::clients {

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

/// The daemon may have another working folder. Empty stays empty.
[[nodiscard]] std::string absolute_path(const std::string& text);

/// A file of the user's, "-" = standard input. Errors: as read_file().
[[nodiscard]] Result<std::string> read_input(Console& console, const std::string& file,
                                             std::size_t limit_bytes);

/// One bound of a scope. "90", "9.0", "sm_90" = 90. Errors: invalid_argument.
[[nodiscard]] Result<std::int64_t> parse_capability(std::string_view text);

/// Style of the reports on this console.
[[nodiscard]] Style style_of(const Console& console);

/// A person at a terminal is told what a long silence means.
void tell_of_long_waits(Session& session, DaemonClient& client);

/// Asks the daemon and shows its answer: the document, or `render(reply)`. `params` is JSON, as a
/// person may have written it. `judge(reply)` is the exit code.
template <class Reply, class Render, class Judge>
ExitCode ask_in_json(Session& session, std::string_view method, std::string_view params,
                     Milliseconds timeout, const Render& render, const Judge& judge) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  tell_of_long_waits(session, *client);
  const auto answer = client->call(method, params, timeout);
  if (!answer) return report_call_error(session, *client, answer.error());
  const auto reply = daemon::protocol::decode<Reply>(*answer);
  if (!reply) return report_call_error(session, *client, reply.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*reply));
  } else {
    session.console.out << render(*reply) << std::flush;
  }
  return judge(*reply);
}

template <class Params, class Reply, class Render, class Judge>
ExitCode ask(Session& session, const daemon::protocol::Method<Params, Reply>& method,
             const std::type_identity_t<Params>& params, Milliseconds timeout, const Render& render,
             const Judge& judge) {
  return ask_in_json<Reply>(session, method.name, daemon::protocol::encode(params), timeout, render,
                            judge);
}

template <class Params, class Reply, class Render>
ExitCode ask(Session& session, const daemon::protocol::Method<Params, Reply>& method,
             const std::type_identity_t<Params>& params, const Render& render,
             Milliseconds timeout = kNoTimeout) {
  return ask(session, method, params, timeout, render,
             [](const Reply& /*reply*/) { return ExitCode::ok; });
}

}  // namespace warpmind::clients
