#include "clients/cli/commands/commands.h"
#include "clients/language_pipe.h"
#include "daemon/protocol/editor_messages.h"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace warpmind::clients {

ExitCode run_command(Session& session, const LspOptions& /*options*/) {
  // An editor that was killed must not leave pipes behind.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // To an editor that is gone, writing is an error like another.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): SIG_IGN cannot fail
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto attached = client->call(daemon::protocol::kLspAttach, {});
  if (!attached) return report_call_error(session, *client, attached.error());
  const auto carried = carry_language_messages(
      client->release(), {.from_editor = STDIN_FILENO, .to_editor = STDOUT_FILENO});
  if (carried) return ExitCode::ok;
  const Origin origin =
      carried.error().code == Errc::invalid_argument ? Origin::input : Origin::connection;
  return report_error(session.console, carried.error(),
                      exit_code_for(origin, carried.error().code));
}

}  // namespace warpmind::clients
