#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/commands/suite_import.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/program_task_report.h"
#include "config/program_task_import.h"

#include <algorithm>
#include <cstdlib>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;

constexpr std::size_t kMostArgumentBytes = std::size_t{1} << 20U;

/// "name arguments…" a line; # begins a remark.
Result<config::ImportOptions> import_options(const TaskImportOptions& options) {
  config::ImportOptions out;
  out.libtorch = options.libtorch;
  out.precompiled = options.precompiled;
  out.build_seconds = options.build_seconds;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  out.search_path = path == nullptr ? "" : path;
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

ExitCode run_command(Session& session, const TaskImportOptions& options) {
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
  if (options.jobs < 1) {
    return refuse({Errc::invalid_argument, "--jobs wants a number of at least 1"});
  }
  SuiteImport all(session, options, *suite, std::move(*import));
  if (const auto taken = all.take_up_report(); !taken) return refuse(taken.error());
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
