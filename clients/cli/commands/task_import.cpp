#include "base/file.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/program_task_report.h"
#include "config/program_task_file.h"
#include "config/program_task_import.h"

#include <algorithm>
#include <chrono>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;

constexpr std::size_t kMostArgumentBytes = std::size_t{1} << 20U;

/// "name arguments…" a line; # begins a remark.
Result<config::ImportOptions> import_options(const TaskImportOptions& options) {
  config::ImportOptions out;
  out.libtorch = options.libtorch;
  if (options.arguments.empty()) return out;
  WARPMIND_TRY(const auto text, read_file(options.arguments, kMostArgumentBytes));
  for (const auto line : split_lines(text)) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
    const auto rest = std::min(line.find_first_not_of(" \t\r", end), line.size());
    std::string arguments(line.substr(rest));
    while (!arguments.empty() && (arguments.back() == ' ' || arguments.back() == '\r')) {
      arguments.pop_back();
    }
    out.arguments[std::string(line.substr(begin, end - begin))] = std::move(arguments);
  }
  return out;
}

Result<std::vector<fs::path>> wanted_folders(ProgramSuite suite, const TaskImportOptions& options) {
  WARPMIND_TRY(auto folders, config::find_suite_folders(suite, options.path));
  if (options.only.empty()) return folders;
  std::vector<fs::path> wanted;
  for (const auto& name : options.only) {
    const auto at = std::find_if(folders.begin(), folders.end(), [&](const fs::path& folder) {
      return config::suite_task_name(suite, folder) == name;
    });
    if (at == folders.end()) {
      return fail(Errc::not_found, options.path + " has no program '" + name + "'");
    }
    wanted.push_back(*at);
  }
  return wanted;
}

/// What the check said, on the line of its program.
void take_check(const protocol::ProgramTaskCheckResult& check, protocol::ProgramImportLine& line) {
  line.state = check.admitted ? "admitted" : "refused";
  line.refused_by = check.refused_by;
  line.reason = check.reason;
  if (check.runs.empty()) return;
  line.launches = check.runs.front().launches;
  for (const auto& kernel : check.runs.front().kernels) {
    if (kernel.timed) line.kernels_ns += kernel.total_ns;
  }
}

/// All programs, one after the other, with what became of each.
class SuiteImport {
 public:
  SuiteImport(Session& session, const TaskImportOptions& options, ProgramSuite suite,
              config::ImportOptions import)
      : session_(session), options_(options), suite_(suite), import_(std::move(import)) {
    report_.suite = options.suite;
  }

  /// `client` may be null: nothing is checked then. Errors: cancelled, and the connection's.
  Result<void> run(const std::vector<fs::path>& folders, DaemonClient* client) {
    for (const auto& folder : folders) {
      if (!session_.console.json) {
        session_.console.err << "warpmind: " << config::suite_task_name(suite_, folder) << '\n';
      }
      WARPMIND_CHECK(take(folder, client));
    }
    return {};
  }
  [[nodiscard]] const protocol::ProgramImportReport& report() const { return report_; }

 private:
  Result<void> take(const fs::path& folder, DaemonClient* client) {
    protocol::ProgramImportLine line;
    line.name = config::suite_task_name(suite_, folder);
    const fs::path into = fs::path(options_.into.empty() ? "." : options_.into) / line.name;
    const auto task = import_one(folder, into);
    if (!task) {
      line.state = "not imported";
      line.refused_by = "import";
      line.reason = task.error().message;
      report_.programs.push_back(std::move(line));
      return {};
    }
    line.folder = absolute_path(into.string());
    line.restricted = task->restricted;
    line.state = "imported";
    if (client != nullptr) WARPMIND_CHECK(check_one(*client, line));
    report_.programs.push_back(std::move(line));
    return {};
  }

  [[nodiscard]] Result<ProgramTask> import_one(const fs::path& folder, const fs::path& into) const {
    WARPMIND_TRY(auto task, config::import_program(suite_, folder, into, import_));
    if (!options_.run_seconds) return task;
    task.run_seconds = *options_.run_seconds;
    std::error_code ec;
    fs::remove(into / config::kProgramTaskFile, ec);
    WARPMIND_CHECK(config::write_program_task(into, task));
    return task;
  }

  Result<void> check_one(DaemonClient& client, protocol::ProgramImportLine& line) {
    const auto start = std::chrono::steady_clock::now();
    const auto check =
        check_program_task(client, line.folder, options_.provider, options_.device, 0);
    line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!check) {
      const bool lasting = check.error().code == Errc::cancelled ||
                           check.error().code == Errc::unavailable || !client.connected();
      if (lasting) return fail(check.error());
      line.state = "refused";
      line.refused_by = "check";
      line.reason = check.error().message;
      return {};
    }
    take_check(*check, line);
    report_.provider = check->provider;
    report_.device = check->device;
    report_.admitted += check->admitted ? 1 : 0;
    return {};
  }

  Session& session_;
  const TaskImportOptions& options_;
  ProgramSuite suite_;
  config::ImportOptions import_;
  protocol::ProgramImportReport report_;
};

ExitCode show(Session& session, const protocol::ProgramImportReport& report) {
  if (session.console.json) {
    write_document(session.console, protocol::encode(report));
  } else {
    session.console.out << render_program_import(report, style_of(session.console)) << std::flush;
  }
  const bool all = std::all_of(
      report.programs.begin(), report.programs.end(),
      [](const auto& line) { return line.state == "admitted" || line.state == "imported"; });
  return all ? ExitCode::ok : ExitCode::negative;
}

}  // namespace

ExitCode run(Session& session, const TaskImportOptions& options) {
  const auto refuse = [&](const Error& error) {
    return report_error(session.console, error, exit_code_for(Origin::input, error.code));
  };
  const auto suite = parse_enum<ProgramSuite>(options.suite);
  if (!suite) {
    return refuse({Errc::invalid_argument, "unknown suite '" + options.suite + "'; known are " +
                                               all_names_of<ProgramSuite>()});
  }
  const auto folders = wanted_folders(*suite, options);
  if (!folders) return refuse(folders.error());
  auto import = import_options(options);
  if (!import) return refuse(import.error());
  SuiteImport all(session, options, *suite, std::move(*import));
  if (options.no_check) {
    if (const auto done = all.run(*folders, nullptr); !done) return refuse(done.error());
    return show(session, all.report());
  }
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  const auto done = all.run(*folders, &*client);
  if (!done && (session.console.json || all.report().programs.empty())) {
    return report_call_error(session, *client, done.error());
  }
  const ExitCode code = show(session, all.report());
  return done ? code : report_call_error(session, *client, done.error());
}

}  // namespace warpmind::clients
