#include "clients/cli/commands/commands.h"
#include "clients/spawn_plan.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/message_codec.h"

#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

/// True when the desktop took the address. What it prints is not ours to show.
bool start_browser(const std::string& url) {
  SpawnPlan plan;
  plan.discard(STDOUT_FILENO);
  plan.discard(STDERR_FILENO);
  const auto child = plan.spawn({"/usr/bin/env", "xdg-open", url}, ChildSession::own);
  if (!child) return false;
  int status = 0;
  return ::waitpid(*child, &status, 0) == *child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

ExitCode run_command(Session& session, const DashboardOptions& options) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto opened = client->call(daemon::protocol::kDashboardOpen, {});
  if (!opened) return report_call_error(session, *client, opened.error());
  auto& console = session.console;
  if (console.json) {
    write_document(console, daemon::protocol::encode(*opened));
  } else {
    console.out << opened->url << "\n" << std::flush;
  }
  if (!options.open) {
    if (!console.json) {
      console.err << "warpmind: open it in a browser within " << opened->expires_s
                  << " s; it works once\n";
    }
    return ExitCode::ok;
  }
  if (start_browser(opened->url)) return ExitCode::ok;
  if (!console.json) {
    console.err << "warpmind: no browser could be started (xdg-open); open the address yourself "
                   "within "
                << opened->expires_s << " s\n";
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
