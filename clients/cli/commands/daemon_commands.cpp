#include "clients/cli/commands/daemon_commands.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "clients/captured_process.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/daemon_reports.h"
#include "clients/cli/report/doctor_report.h"
#include "clients/cli/report/text.h"
#include "clients/cli/slurm_job.h"
#include "clients/daemon_launcher.h"
#include "clients/spawn_plan.h"
#include "config/embedded_files.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/message_codec.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::clients {

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

namespace {

/// A parked job ends its running compiler or kernel, which takes seconds.
constexpr Milliseconds kParkTimeout{60'000};

/// Closing the connection comes before the end of the process, which then still holds its lock.
/// Errors: timeout; cancelled.
Result<void> wait_for_exit(int pidfd, int interrupt, Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left =
        std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return fail(Errc::timeout, "the daemon hung up but its process does not end");
    std::array<pollfd, 2> watched{{{.fd = pidfd, .events = POLLIN, .revents = 0},
                                   {.fd = interrupt, .events = POLLIN, .revents = 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left)) <= 0) continue;
    if (watched[0].revents != 0) return {};
    if (watched[1].revents != 0) return fail(Errc::cancelled, "interrupted");
  }
}

ExitCode stopped(Session& session, bool ran) {
  if (session.console.json) {
    write_document(session.console, codec::dump_json(nlohmann::json{{"stopped", ran}}));
  } else {
    session.console.out << (ran ? "the daemon has ended\n" : "no daemon runs\n") << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode run_command(Session& session, const DaemonStopOptions& options) {
  using daemon::protocol::ShutdownMode;
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  session.globals.assignments.clear();  // they cannot matter to a daemon that ends
  auto client = connect_daemon(session, WhenAbsent::refuse);
  if (!client && client.error().code == Errc::not_found) return stopped(session, false);
  if (!client) return report_no_daemon(session, client.error());
  const auto process = open_pidfd(static_cast<pid_t>(client->greeting().pid));
  const UniqueFd pidfd(process ? *process : -1);
  const auto asked = client->shutdown(options.finish ? ShutdownMode::finish : ShutdownMode::park);
  if (!asked) return report_call_error(session, *client, asked.error());
  auto closed = client->wait_for_close(options.finish ? Milliseconds::max() : kParkTimeout);
  // Without a descriptor it has ended already, or is in another process namespace.
  if (closed && pidfd) closed = wait_for_exit(pidfd.get(), session.interrupt, kParkTimeout);
  if (closed) return stopped(session, true);
  if (closed.error().code == Errc::cancelled) {
    return report_error(session.console, {Errc::cancelled, "left; the daemon still ends by itself"},
                        ExitCode::cancelled);
  }
  return report_call_error(session, *client, closed.error());
}

namespace {

ExitCode none_runs(Session& session) {
  if (session.console.json) {
    write_document(session.console, R"({"alive":false})");
  } else {
    session.console.out << "no daemon listens at " << session.socket().string() << '\n'
                        << std::flush;
  }
  return ExitCode::daemon;
}

}  // namespace

ExitCode run_command(Session& session, const DaemonStatusOptions& /*options*/) {
  auto client = connect_daemon(session, WhenAbsent::refuse);
  if (!client && client.error().code == Errc::not_found) return none_runs(session);
  if (!client) return report_no_daemon(session, client.error());
  const auto status = client->status();
  if (!status) return report_call_error(session, *client, status.error());
  if (!session.console.json) {
    session.console.out << render_status(*status, session.console.paint) << std::flush;
    return ExitCode::ok;
  }
  auto document = codec::parse_json(daemon::protocol::encode(*status));
  if (!document) return report_call_error(session, *client, document.error());
  (*document)["alive"] = true;
  write_document(session.console, codec::dump_json(*document));
  return ExitCode::ok;
}

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

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "systemd/";
constexpr std::string_view kMark = "@BINARIES@";

struct Unit {
  std::string name;
  std::string text;
};

/// For the programs in `binaries`.
std::vector<Unit> units_for(const fs::path& binaries) {
  std::vector<Unit> units;
  for (const auto& file : config::embedded_files()) {
    if (!file.name.starts_with(kFolder)) continue;
    Unit unit{std::string(file.name.substr(kFolder.size())), std::string(file.content)};
    for (auto at = unit.text.find(kMark); at != std::string::npos; at = unit.text.find(kMark)) {
      unit.text.replace(at, kMark.size(), binaries.string());
    }
    units.push_back(std::move(unit));
  }
  return units;
}

Result<fs::path> folder_for(const DaemonUnitsOptions& options) {
  if (!options.directory.empty()) return fs::absolute(options.directory);
  const char* const config = std::getenv("XDG_CONFIG_HOME");  // NOLINT(concurrency-mt-unsafe)
  if (config != nullptr && *config == '/') return fs::path(config) / "systemd" / "user";
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  if (home != nullptr && *home == '/') return fs::path(home) / ".config" / "systemd" / "user";
  return fail(Errc::invalid_argument,
              "there is no folder to write to: set HOME, or name one with --directory");
}

/// systemd splits a command at spaces, and reads '%' and '$' as its own.
Result<fs::path> plain_folder() {
  WARPMIND_TRY(const auto daemon, find_daemon());
  const fs::path folder = daemon.parent_path();
  if (folder.string().find_first_of(" \t\"'\\%$;") == std::string::npos) return folder;
  return fail(Errc::invalid_argument, "warpmindd is in '" + folder.string() +
                                          "', a path that a unit cannot hold as it is; install it "
                                          "where no blank, quote, '%' or '$' is in the path");
}

Result<void> write_all(const std::vector<Unit>& units, const fs::path& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return fail(Errc::external_failure, folder.string() + ": " + ec.message());
  for (const auto& unit : units) {
    const auto existing = read_file(folder / unit.name, std::size_t{1} << 20U);
    if (existing && *existing == unit.text) continue;
    if (existing) WARPMIND_CHECK(write_output_file(folder / (unit.name + ".backup"), *existing));
    WARPMIND_CHECK(write_output_file(folder / unit.name, unit.text));
  }
  return {};
}

constexpr std::string_view kNext =
    "systemctl --user daemon-reload\n"
    "systemctl --user enable --now warpmindd.socket    # the daemon starts when it is asked\n"
    "loginctl enable-linger                            # it stays when you log out\n";

}  // namespace

ExitCode run_command(Session& session, const DaemonUnitsOptions& options) {
  const auto binaries = plain_folder();
  if (!binaries) return report_error(session.console, binaries.error(), ExitCode::bad_input);
  const auto folder = folder_for(options);
  if (!folder) return report_error(session.console, folder.error(), ExitCode::bad_input);
  const auto units = units_for(*binaries);
  if (options.write) {
    const auto written = write_all(units, *folder);
    if (!written) return report_error(session.console, written.error(), ExitCode::bad_input);
  }
  if (session.console.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& unit : units) list.push_back({{"name", unit.name}, {"text", unit.text}});
    write_document(session.console, codec::dump_json({{"directory", folder->string()},
                                                      {"written", options.write},
                                                      {"units", std::move(list)}}));
    return ExitCode::ok;
  }
  for (const auto& unit : units) {
    session.console.out << (options.write ? "wrote " : "# ") << (*folder / unit.name).string()
                        << '\n';
    if (!options.write) session.console.out << unit.text << '\n';
  }
  session.console.out << (options.write ? "Next:\n" : "# With --write they are written; then:\n")
                      << kNext << std::flush;
  return ExitCode::ok;
}

ExitCode run_command(Session& session, const ConfigShowOptions& options) {
  const auto settings = config::render_settings(session.loaded);
  if (!session.console.json) {
    const bool origin = options.origin;
    session.console.out << render_settings(settings, session.loaded.file.string(), origin)
                        << std::flush;
    return ExitCode::ok;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& setting : settings) {
    nlohmann::json row{{"name", setting.name},
                       {"value", setting.value},
                       {"unit", setting.unit},
                       {"document", setting.document}};
    if (options.origin) row["origin"] = setting.origin;
    rows.push_back(std::move(row));
  }
  const nlohmann::json document{{"file", session.loaded.file.string()}, {"settings", rows}};
  write_document(session.console, codec::dump_json(document));
  return ExitCode::ok;
}

namespace {

/// What `warpmindd --doctor --json` printed.
Result<std::string> examine(const Session& session) {
  WARPMIND_TRY(const auto daemon, find_daemon());
  std::vector<std::string> words{daemon.string(), "--doctor", "--json"};
  const auto arguments = daemon_arguments(session);
  words.insert(words.end(), arguments.begin(), arguments.end());
  WARPMIND_TRY(auto captured, run_captured(words, {}));
  if (!captured.output.empty()) return std::move(captured.output);
  return fail(Errc::external_failure, "`warpmindd --doctor` ended with exit code " +
                                          std::to_string(captured.exit_code) +
                                          " and found nothing");
}

}  // namespace

ExitCode run_command(Session& session, const DoctorOptions& /*options*/) {
  const auto output = examine(session);
  if (!output) return report_error(session.console, output.error(), ExitCode::daemon);
  const auto findings = parse_findings(*output);
  if (!findings) return report_error(session.console, findings.error(), ExitCode::daemon);
  if (session.console.json) {
    write_document(session.console, findings->document);
  } else {
    session.console.out << render_findings(*findings, session.console.paint,
                                           session.console.columns)
                        << std::flush;
  }
  return findings->usable() ? ExitCode::ok : ExitCode::environment;
}

namespace {

/// What others can read in the list of processes must hold no secret.
Result<void> check_address(const std::string& url) {
  if (url.find('@') == std::string::npos) return {};
  return fail(Errc::invalid_argument,
              "--nats must not hold a secret, for others can read it: put the token into a file of "
              "mode 0600 and name it with --token-file");
}

/// The settings that the flags stand for.
std::vector<std::string> assignments(const WorkerOptions& options) {
  std::vector<std::string> words;
  const auto set = [&words](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back("--set");
    words.push_back(name + "=" + value);
  };
  set("queue.nats", options.nats);
  set("queue.serve", options.architecture);
  if (!options.token_file.empty()) {
    std::error_code ignored;
    set("queue.nats_token_file", std::filesystem::absolute(options.token_file, ignored).string());
  }
  return words;
}

Result<std::vector<std::string>> worker_words(const Session& session,
                                              const WorkerOptions& options) {
  WARPMIND_CHECK(check_address(options.nats));
  if (options.nats.empty() && session.loaded.settings.queue.nats.empty()) {
    return fail(Errc::invalid_argument,
                "a worker needs the address of a NATS server: --nats nats://host:4222, or the "
                "setting queue.nats");
  }
  WARPMIND_TRY(const auto daemon, find_daemon());
  std::vector<std::string> words{daemon.string(), "--serve-evaluations"};
  for (const auto& word : daemon_arguments(session)) words.push_back(word);
  for (auto& word : assignments(options)) words.push_back(std::move(word));
  return words;
}

/// Becomes the daemon's program. Returns only when that fails.
Error become(std::vector<std::string> words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(words.front().c_str(), argv.data());
  return {Errc::external_failure, words.front() + ": " + std::strerror(errno)};
}

Result<std::string> submit(const WorkerOptions& options, std::vector<std::string> worker) {
  SlurmJob job;
  job.workers = options.slurm;
  job.wants_gpu = options.architecture.starts_with("sm_");
  job.worker = std::move(worker);
  job.options = options.sbatch;
  std::error_code ec;
  WARPMIND_TRY(const auto scratch, ScratchDirectory::create(
                                       std::filesystem::temp_directory_path(ec), "warpmind-slurm"));
  const auto script = scratch.path() / "worker.sh";
  WARPMIND_CHECK(write_file_atomic(script, slurm_script(job)));
  std::vector<std::string> words{"/usr/bin/env", "sbatch"};
  for (auto& word : slurm_words(job, script.string())) words.push_back(std::move(word));
  WARPMIND_TRY(const auto said, run_captured(words, {}));
  constexpr int kNotFound = 127;
  if (said.exit_code == kNotFound) {
    return fail(Errc::unavailable, "there is no sbatch on PATH: --slurm needs a Slurm cluster");
  }
  if (said.exit_code != 0) {
    return fail(Errc::external_failure,
                "sbatch refused the job (exit code " + std::to_string(said.exit_code) + ")");
  }
  return slurm_job_id(said.output);
}

}  // namespace

ExitCode run_command(Session& session, const WorkerOptions& options) {
  auto words = worker_words(session, options);
  if (!words) return report_error(session.console, words.error(), ExitCode::bad_input);
  if (options.slurm == 0) {
    session.console.out.flush();
    session.console.err.flush();
    return report_error(session.console, become(std::move(*words)), ExitCode::environment);
  }
  const auto job = submit(options, std::move(*words));
  if (!job) return report_error(session.console, job.error(), ExitCode::environment);
  if (session.console.json) {
    write_document(session.console,
                   nlohmann::json{{"job", *job}, {"workers", options.slurm}}.dump());
  } else {
    session.console.out << options.slurm << " workers are job " << *job << " of Slurm; `scancel "
                        << *job << "` ends them\n"
                        << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
