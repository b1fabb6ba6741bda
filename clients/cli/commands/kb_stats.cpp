#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/daemon_reports.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const KbStatsOptions& /*options*/) {
  return ask(
      session, daemon::protocol::kKbStats, daemon::protocol::Empty{},
      [&session](const auto& reply) { return render_statistics(reply, session.console.paint); });
}

}  // namespace warpmind::clients
