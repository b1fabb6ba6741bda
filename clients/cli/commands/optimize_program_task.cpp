#include "clients/cli/commands/commands.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/program_run/program_task_run.h"
#include "clients/cli/report/program_task_report.h"
#include "config/program_task_file.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// Ok when the task's controls are passed; else what was said of it has been shown.
ExitCode show_controls(Session& session, const OptimizeOptions& options) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  tell_of_long_waits(session, *client);
  const auto check =
      check_program_task(*client, {absolute_path(options.directory), options.provider,
                                   options.device, 0, session.loaded.settings.lab.program_folders});
  if (!check) return report_call_error(session, *client, check.error());
  if (check->admitted) return ExitCode::ok;
  if (session.console.json) {
    write_document(session.console, protocol::encode(*check));
  } else {
    session.console.out << render_program_check(*check, style_of(session.console)) << std::flush;
  }
  return exit_code_for(*check);
}

}  // namespace

ExitCode run_program_task(Session& session, const OptimizeOptions& options) {
  const auto refuse = [&](const Error& error) {
    return report_error(session.console, error, exit_code_for(Origin::input, error.code));
  };
  if (options.detach || options.proposer == "external" || options.proposer == "replay") {
    return refuse({Errc::invalid_argument,
                   "a program task is optimised here and now: without --detach, with --proposer "
                   "builtin or llm"});
  }
  if (!options.as_user) {
    return refuse({Errc::invalid_argument,
                   options.directory +
                       " is a program task; to optimise it, its program is built and run by the "
                       "client, as you and outside the sandbox: add --as-user if you would start "
                       "it yourself, or check it in the sandbox with `warpmind task check`"});
  }
  const auto task = config::load_program_task(options.directory);
  if (!task) return refuse(task.error());
  const bool simulated = options.provider == "sim" || !options.device.empty();
  const auto runtime = program_runtime(session.loaded.settings, simulated, options.device);
  if (!runtime) return refuse(runtime.error());
  const auto as_program = program_task_options(options, *task, *runtime);
  if (!as_program) return refuse(as_program.error());
  // What its own rule does not tell from nothing, it does not tell from a wrong kernel.
  if (const ExitCode code = show_controls(session, options); code != ExitCode::ok) return code;
  session.interrupt = -1;
  return run_program(session, *as_program);
}

}  // namespace warpmind::clients
