#include "clients/cli/commands/commands.h"
#include "clients/cli/report/daemon_reports.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const StatusOptions& /*options*/) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto status = client->status();
  if (!status) return report_call_error(session, *client, status.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*status));
  } else {
    session.console.out << render_status(*status, session.console.paint) << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
