#include "clients/cli/session.h"

#include "clients/daemon_launcher.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

/// Settings that the client itself needs to find the daemon; giving them says nothing about how
/// the daemon should run.
bool only_finds_the_daemon(const std::string& assignment) {
  return assignment.starts_with("daemon.socket=") ||
         assignment.starts_with("daemon.state_directory=");
}

void say_that_settings_wait(const Session& session, const DaemonClient& client) {
  const auto& assignments = session.globals.assignments;
  const bool all_found = std::all_of(assignments.begin(), assignments.end(), only_finds_the_daemon);
  if (session.console.json || all_found) return;
  session.console.err << "warpmind: the daemon (pid " << client.greeting().pid
                      << ") runs already with its own settings; --set takes effect after "
                         "`warpmind daemon stop`\n";
}

}  // namespace

Result<Session> open_session(const GlobalOptions& globals, Console& console) {
  config::SettingsSources sources;
  if (!globals.config.empty()) sources.file = globals.config;
  sources.environment = config::capture_environment();
  sources.overrides = globals.assignments;
  if (!globals.socket.empty()) sources.overrides.push_back("daemon.socket=" + globals.socket);
  std::error_code ec;
  sources.working_directory = std::filesystem::current_path(ec);
  if (ec) return fail(Errc::external_failure, "cannot read the working folder: " + ec.message());
  WARPMIND_TRY(auto loaded, config::load_settings(sources));
  return Session{.globals = globals, .console = console, .loaded = std::move(loaded)};
}

std::vector<std::string> daemon_arguments(const Session& session) {
  std::vector<std::string> words;
  // The file that was read, absolute; also the default one, which the daemon would find itself.
  if (!session.loaded.file.empty()) {
    words.insert(words.end(), {"--config", session.loaded.file.string()});
  }
  for (const auto& assignment : session.globals.assignments) {
    words.insert(words.end(), {"--set", assignment});
  }
  if (!session.globals.socket.empty()) {
    words.insert(words.end(), {"--set", "daemon.socket=" + session.socket().string()});
  }
  return words;
}

Result<DaemonClient> connect_daemon(const Session& session, WhenAbsent when_absent) {
  auto client = DaemonClient::connect(session.socket(), kGreetingTimeout);
  if (client) {
    say_that_settings_wait(session, *client);
  } else if (client.error().code == Errc::not_found) {
    if (when_absent == WhenAbsent::refuse || session.globals.no_start) {
      return fail(Errc::not_found, client.error().message + "; `warpmind daemon start` starts one");
    }
    LaunchOrder order{.executable = {},
                      .arguments = daemon_arguments(session),
                      .socket = session.socket(),
                      .interrupt = session.interrupt};
    client = start_daemon(order);
  }
  if (client) client->set_interrupt(session.interrupt);
  return client;
}

ExitCode report_call_error(Session& session, const DaemonClient& client, const Error& error) {
  const Origin origin = client.connected() ? Origin::daemon : Origin::connection;
  return report_error(session.console, error, exit_code_for(origin, error.code));
}

ExitCode report_no_daemon(Session& session, const Error& error) {
  return report_error(session.console, error, exit_code_for(Origin::connection, error.code));
}

Result<std::filesystem::path> task_directory(const std::string& text) {
  std::error_code ec;
  const auto directory = std::filesystem::absolute(text, ec).lexically_normal();
  if (!ec && std::filesystem::is_regular_file(directory, ec)) {
    return fail(Errc::invalid_argument,
                text +
                    " is a file; a task is a folder with task.toml, a kernel and a reference "
                    "(docs/tasks.md). What the built-in agent could do to a file by itself: "
                    "warpmind explain-moves " +
                    text);
  }
  if (ec || !std::filesystem::is_directory(directory, ec)) {
    return fail(Errc::not_found, "there is no task folder " + text);
  }
  if (!std::filesystem::is_regular_file(directory / "task.toml", ec)) {
    return fail(Errc::not_found, text +
                                     " holds no task.toml; a task is a folder with task.toml, a "
                                     "kernel and a reference (docs/tasks.md)");
  }
  return directory;
}

}  // namespace warpmind::clients
