#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/program_task_report.h"
#include "daemon/protocol/program_task_messages.h"

namespace warpmind::clients {

namespace protocol = daemon::protocol;

Result<protocol::ProgramTaskCheckResult> check_program_task(
    DaemonClient& client, const protocol::ProgramTaskCheckParams& params) {
  return client.call(protocol::kProgramTaskCheck, params, kNoTimeout);
}

ExitCode exit_code_for(const protocol::ProgramTaskCheckResult& check) {
  return check.admitted ? ExitCode::ok : ExitCode::negative;
}

ExitCode run_command(Session& session, const TaskCheckOptions& options) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  tell_of_long_waits(session, *client);
  const auto check =
      check_program_task(*client, {absolute_path(options.folder), options.provider, options.device,
                                   options.runs, session.loaded.settings.lab.program_folders});
  if (!check) return report_call_error(session, *client, check.error());
  if (session.console.json) {
    write_document(session.console, protocol::encode(*check));
  } else {
    session.console.out << render_program_check(*check, style_of(session.console)) << std::flush;
  }
  return exit_code_for(*check);
}

ExitCode run_command(Session& session, const TaskOptions& options) {
  return std::visit([&session](const auto& one) { return run_command(session, one); }, options);
}

}  // namespace warpmind::clients
