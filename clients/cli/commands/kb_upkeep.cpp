#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/upkeep_report.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

}  // namespace

ExitCode run_command(Session& session, const KbVerifyOptions& options) {
  return ask(
      session, protocol::kKbVerify, protocol::KbVerifyParams{options.deep}, kNoTimeout,
      [&session](const auto& reply) { return render_verify(reply, style_of(session.console)); },
      [](const auto& reply) { return reply.problems == 0 ? ExitCode::ok : ExitCode::negative; });
}

ExitCode run_command(Session& session, const KbRebuildOptions& /*options*/) {
  return ask(session, protocol::kKbRebuild, protocol::Empty{}, [&session](const auto& reply) {
    return render_rebuild(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbCompactOptions& /*options*/) {
  return ask(session, protocol::kKbCompact, protocol::Empty{},
             [](const auto& reply) { return render_compact(reply); });
}

ExitCode run_command(Session& session, const KbBackupOptions& options) {
  const protocol::KbBackupParams params{absolute_path(options.directory), options.keep};
  return ask(session, protocol::kKbBackup, params, [&](const auto& reply) {
    return render_backup(reply, "backed up to " + params.directory);
  });
}

ExitCode run_command(Session& session, const KbBackupsOptions& options) {
  const protocol::KbDirectoryParams params{absolute_path(options.directory)};
  return ask(session, protocol::kKbBackups, params,
             [](const auto& reply) { return render_backups(reply); });
}

ExitCode run_command(Session& session, const KbCheckpointOptions& options) {
  const protocol::KbDirectoryParams params{absolute_path(options.directory)};
  return ask(session, protocol::kKbCheckpoint, params, [&](const auto& reply) {
    return render_copy(reply, "a base with the same content is at " + params.directory);
  });
}

ExitCode run_command(Session& session, const KbRestoreOptions& options) {
  const protocol::KbRestoreParams params{absolute_path(options.directory), options.id.value_or(0),
                                         absolute_path(options.into), options.replace};
  if (options.replace && !options.yes) {
    const auto agreed = confirm(session.console,
                                "This puts the backup in place of the base that is open, which is "
                                "kept aside.",
                                "--yes");
    if (!agreed) return report_error(session.console, agreed.error(), ExitCode::bad_input);
    if (!*agreed) {
      return report_error(session.console, {Errc::cancelled, "nothing was changed"},
                          ExitCode::cancelled);
    }
  }
  const std::string where =
      options.replace ? "the base is as in the backup" : "restored to " + params.target;
  return ask(session, protocol::kKbRestore, params,
             [&](const auto& reply) { return render_copy(reply, where); });
}

}  // namespace warpmind::clients
