#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/report/daemon_reports.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {
namespace {

ExitCode none_runs(Session& session) {
  if (session.console.json) {
    write_document(session.console, R"({"alive":false})");
  } else {
    session.console.out << "no daemon listens at " << session.socket().string() << '\n'
                        << std::flush;
  }
  return ExitCode::daemon;
}

}  // namespace

ExitCode run_command(Session& session, const DaemonStatusOptions& /*options*/) {
  auto client = connect_daemon(session, WhenAbsent::refuse);
  if (!client && client.error().code == Errc::not_found) return none_runs(session);
  if (!client) return report_no_daemon(session, client.error());
  const auto status = client->status();
  if (!status) return report_call_error(session, *client, status.error());
  if (!session.console.json) {
    session.console.out << render_status(*status, session.console.paint) << std::flush;
    return ExitCode::ok;
  }
  auto document = codec::parse_json(daemon::protocol::encode(*status));
  if (!document) return report_call_error(session, *client, document.error());
  (*document)["alive"] = true;
  write_document(session.console, codec::dump_json(*document));
  return ExitCode::ok;
}

}  // namespace warpmind::clients
