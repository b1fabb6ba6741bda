#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"

namespace warpmind::clients {

ExitCode report_no_daemon(Session& session, const Error& error) {
  return report_error(session.console, error, exit_code_for(Origin::connection, error.code));
}

ExitCode run_command(Session& session, const DaemonStartOptions& /*options*/) {
  auto running = connect_daemon(session, WhenAbsent::refuse);
  const bool ran_before = running.has_value();
  if (!ran_before) {
    if (running.error().code != Errc::not_found) return report_no_daemon(session, running.error());
    running = connect_daemon(session, WhenAbsent::start);
    if (!running) return report_no_daemon(session, running.error());
  }
  const auto& greeting = running->greeting();
  if (session.console.json) {
    const nlohmann::json document{{"started", !ran_before},
                                  {"pid", greeting.pid},
                                  {"version", greeting.version},
                                  {"socket", session.socket().string()}};
    write_document(session.console, codec::dump_json(document));
    return ExitCode::ok;
  }
  session.console.out << "warpmindd " << clean_line(greeting.version) << " (pid " << greeting.pid
                      << ')' << (ran_before ? " runs already" : " started") << ", listening at "
                      << session.socket().string() << '\n'
                      << std::flush;
  return ExitCode::ok;
}

}  // namespace warpmind::clients
