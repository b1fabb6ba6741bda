#include "clients/cli/commands/agent_commands.h"

#include "base/file.h"
#include "clients/byte_pipe.h"
#include "clients/cli/agent_configuration.h"
#include "clients/language_pipe.h"
#include "clients/spawn_plan.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/http_files.h"
#include "daemon/protocol/message_codec.h"

#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/wait.h>
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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytes = std::size_t{4} * 1024 * 1024;

/// What a client shall start: this very program, wherever PATH leads.
ServerCommand own_command() {
  std::error_code ec;
  const auto self = fs::read_symlink("/proc/self/exe", ec);
  return server_command(ec ? fs::path("warpmind") : self);
}

Result<fs::path> file_of(const AgentClient& client) {
  std::error_code ec;
  if (!client.in_home) return fs::current_path(ec) / client.file;
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  if (home == nullptr || *home != '/') {
    return fail(Errc::invalid_argument,
                "HOME is not set: where is " + std::string(client.file) + " to be?");
  }
  return fs::path(home) / client.file;
}

/// A name that is free: FILE.backup, FILE.backup2, …
fs::path backup_of(const fs::path& file) {
  fs::path backup = file.string() + ".backup";
  for (int i = 2; fs::exists(backup); ++i) backup = file.string() + ".backup" + std::to_string(i);
  return backup;
}

/// `alone`: the text as for a client that has no file yet, when the one it has cannot be read.
Result<std::string> install(const McpInstallOptions& options, fs::path& file, fs::path& backup,
                            std::string& alone) {
  WARPMIND_TRY(const auto client, find_agent_client(options.client));
  WARPMIND_TRY(file, file_of(client));
  std::error_code ec;
  std::string existing;
  if (fs::exists(file, ec)) {
    WARPMIND_TRY(existing, read_file(file, kFileBytes));
  }
  auto text = configured_text(client, existing, own_command());
  if (!text) {
    WARPMIND_TRY(alone, configured_text(client, "", own_command()));
    return text;
  }
  if (!options.write || *text == existing) return text;
  if (!existing.empty()) {
    backup = backup_of(file);
    WARPMIND_CHECK(write_file_atomic(backup, existing));  // may hold keys: 0600
  }
  fs::create_directories(file.parent_path(), ec);
  WARPMIND_CHECK(write_output_file(file, *text));
  return text;
}

Result<std::string> read_first_line(const fs::path& file) {
  WARPMIND_TRY(const auto text, read_file(file, 4096));
  return text.substr(0, text.find('\n'));
}

/// Where HTTP is served and what it needs. Errors: unavailable when it is not.
ExitCode print_http(Session& session) {
  const auto& folder = session.loaded.settings.daemon.state_directory;
  const auto url = read_first_line(folder / daemon::protocol::kHttpUrlFile);
  const auto token = read_first_line(folder / daemon::protocol::kHttpTokenFile);
  if (!url || !token) {
    const Error error{Errc::unavailable,
                      "no daemon serves HTTP: set http.listen = \"127.0.0.1:7411\" in section "
                      "[http] of the settings, and start the daemon again"};
    return report_error(session.console, error, exit_code_for(Origin::connection, error.code));
  }
  if (session.console.json) {
    write_document(session.console, R"({"url":")" + *url + R"(","token":")" + *token + "\"}");
  } else {
    session.console.out << *url << "\nAuthorization: Bearer " << *token << "\n" << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode run_command(Session& session, const McpOptions& options) {
  if (options.print_http) return print_http(session);
  // To a client that is gone, writing is an error like another.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): SIG_IGN cannot fail
  const pid_t parent = ::getppid();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto carried =
      carry_bytes(client->release(), {.in = STDIN_FILENO, .out = STDOUT_FILENO, .parent = parent});
  if (carried) return ExitCode::ok;
  return report_error(session.console, carried.error(),
                      exit_code_for(Origin::connection, carried.error().code));
}

ExitCode run_command(Session& session, const McpInstallOptions& options) {
  fs::path file;
  fs::path backup;
  std::string alone;
  const auto text = install(options, file, backup, alone);
  if (!text) {
    session.console.out << alone << std::flush;
    return report_error(session.console, text.error(),
                        exit_code_for(Origin::input, text.error().code));
  }
  const auto client = find_agent_client(options.client);
  auto& console = session.console;
  if (!options.write) {
    console.out << *text << std::flush;
    console.err << "warpmind: for " << file.string() << "; --write puts it there\n";
    return ExitCode::ok;
  }
  console.err << "warpmind: wrote " << file.string();
  if (!backup.empty()) console.err << " (as it was: " << backup.string() << ")";
  console.err << "; now " << client->next_step << "\n";
  return ExitCode::ok;
}

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
