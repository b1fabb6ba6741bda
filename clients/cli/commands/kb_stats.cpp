#include "clients/cli/commands/commands.h"
#include "clients/cli/report/daemon_reports.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {

ExitCode run(Session& session, const KbStatsOptions& /*options*/) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto statistics = client->knowledge_statistics();
  if (!statistics) return report_call_error(session, *client, statistics.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*statistics));
  } else {
    session.console.out << render_statistics(*statistics, session.console.paint) << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
