#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/baseline_report.h"
#include "daemon/protocol/analysis_messages.h"

namespace warpmind::clients {

ExitCode run_command(Session& session, const BaselineOptions& options) {
  using Reply = daemon::protocol::LibraryBaselineResult;
  const auto directory = task_directory(options.directory);
  if (!directory) return report_error(session.console, directory.error(), ExitCode::bad_input);
  const daemon::protocol::LibraryBaselineParams params{directory->string(), options.again};
  return ask(
      session, daemon::protocol::kLibraryBaseline, params, kNoTimeout,
      [&session](const Reply& reply) { return render_baseline(reply, style_of(session.console)); },
      [](const Reply& reply) { return exit_code_for(reply.verdict.outcome); });
}

}  // namespace warpmind::clients
