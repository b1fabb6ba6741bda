#include "clients/cli/commands/commands.h"
#include "clients/cli/report/text.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {

namespace protocol = daemon::protocol;

ExitCode run_command(Session& session, const DaemonLogLevelOptions& options) {
  if (options.level.empty() && !options.component.empty()) {
    return report_error(
        session.console,
        {Errc::invalid_argument,
         "--component wants a level: daemon log-level debug --component " + options.component},
        ExitCode::bad_input);
  }
  // Another daemon would not know of it.
  auto client = connect_daemon(session, WhenAbsent::refuse);
  if (!client) return report_no_daemon(session, client.error());
  const auto levels = client->call(protocol::kLogSetLevel,
                                   protocol::LogLevelParams{options.level, options.component});
  if (!levels) return report_call_error(session, *client, levels.error());
  if (session.console.json) {
    write_document(session.console, protocol::encode(*levels));
    return ExitCode::ok;
  }
  session.console.out << "the log keeps " << clean_line(levels->level) << " and worse\n";
  for (const auto& [component, level] : levels->components) {
    session.console.out << clean_line(component) << " keeps " << clean_line(level)
                        << " and worse\n";
  }
  session.console.out << std::flush;
  return ExitCode::ok;
}

}  // namespace warpmind::clients
