#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/daemon_reports.h"

namespace warpmind::clients {

ExitCode run(Session& session, const KbStatsOptions& /*options*/) {
  return ask<daemon::protocol::KbStatsResult>(
      session, "kb.stats", "{}",
      [&session](const auto& reply) { return render_statistics(reply, session.console.paint); });
}

}  // namespace warpmind::clients
