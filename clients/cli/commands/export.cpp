#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/export_report.h"
#include "daemon/protocol/record_messages.h"

namespace warpmind::clients {

namespace protocol = daemon::protocol;

ExitCode run_command(Session& session, const ExportDataOptions& options) {
  const protocol::ExportWriteParams params{
      options.kind,  absolute_path(options.file), options.format, options.provider,
      options.since, options.threshold,           options.balance};
  return ask(session, protocol::kExportWrite, params, [&session](const auto& reply) {
    return render_written(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const ExportVerifyOptions& options) {
  const protocol::ExportVerifyParams params{absolute_path(options.file)};
  return ask(
      session, protocol::kExportVerify, params, kNoTimeout,
      [&](const auto& reply) {
        return render_checked(reply, params.file, style_of(session.console));
      },
      [](const auto& reply) { return reply.problems == 0 ? ExitCode::ok : ExitCode::negative; });
}

}  // namespace warpmind::clients
