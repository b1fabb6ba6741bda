#include "clients/cli/commands/commands.h"
#include "clients/cli/report/daemon_reports.h"
#include "daemon/protocol/message_codec.h"

namespace warpmind::clients {

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

ExitCode run_command(Session& session, const ValidateOptions& options) {
  const auto directory = task_directory(options.directory);
  if (!directory) return report_error(session.console, directory.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto answer = client->validate(*directory);
  if (!answer) return report_call_error(session, *client, answer.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*answer));
  } else {
    session.console.out << render_validation(*answer, session.console.paint) << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
