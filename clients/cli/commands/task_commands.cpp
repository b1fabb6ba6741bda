#include "clients/cli/commands/task_commands.h"

#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/commands/suite_import.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/program_task_report.h"
#include "config/program_task_file.h"
#include "config/program_task_import.h"
#include "config/program_task_proposal.h"
#include "config/program_task_validator.h"
#include "daemon/protocol/program_task_messages.h"

#include <algorithm>
#include <cstdlib>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// What the flags say wins over what is proposed.
void apply_flags(const TaskNewOptions& options, ProgramTask& task) {
  if (!options.name.empty()) task.name = options.name;
  if (options.build) task.build = *options.build;
  if (!options.run.empty()) task.run = options.run;
  if (options.pass) task.pass.output = *options.pass;
  if (options.never) task.pass.never = *options.never;
  if (options.exit_code) {
    const bool fits = *options.exit_code >= 0 && *options.exit_code <= 255;
    task.pass.exit_code = fits ? static_cast<int>(*options.exit_code) : -1;
  }
  if (!options.kernels.empty()) task.kernels = options.kernels;
  if (!options.editable.empty()) task.editable = options.editable;
  if (!options.needs.empty()) task.needs = options.needs;
  if (options.run_seconds) task.run_seconds = *options.run_seconds;
}

/// What is proposed for the folder. With build and run given, nothing has to be seen in it.
Result<config::ProgramTaskProposal> proposal_for(const TaskNewOptions& options) {
  auto proposal = config::propose_program_task(options.folder);
  const bool told = options.build && !options.run.empty() && !options.editable.empty();
  if (!proposal && proposal.error().code == Errc::invalid_argument && told) {
    config::ProgramTaskProposal bare;
    bare.task.name = config::program_task_name(std::filesystem::absolute(options.folder));
    bare.task.kernels = {".*"};
    proposal = std::move(bare);
  }
  if (proposal) apply_flags(options, proposal->task);
  return proposal;
}

/// Asks for one value; an empty answer keeps it, a single "-" empties it.
void ask_for(Console& console, const char* what, std::string& value) {
  console.err << what << " [" << clean_line(value) << "]: " << std::flush;
  std::string line;
  if (!std::getline(*console.in, line) || line.empty()) return;
  value = line == "-" ? std::string() : line;
}

void ask_for_all(Console& console, const std::vector<std::string>& notes, ProgramTask& task) {
  for (const auto& note : notes) console.err << "  " << clean_line(note) << '\n';
  console.err << "An empty answer keeps what is in brackets; - empties it.\n";
  ask_for(console, "name", task.name);
  ask_for(console, "build command", task.build);
  ask_for(console, "run command", task.run);
  ask_for(console, "a line of the output must match", task.pass.output);
  ask_for(console, "no line may match", task.pass.never);
  std::string kernels = task.kernels.size() == 1 ? task.kernels.front() : "";
  if (task.kernels.size() == 1) {
    ask_for(console, "kernels to time", kernels);
    task.kernels = {kernels};
  }
}

Result<void> write_new_task(const TaskNewOptions& options, const ProgramTask& task) {
  const auto file = std::filesystem::path(options.folder) / config::kProgramTaskFile;
  std::error_code ec;
  if (options.force && std::filesystem::is_regular_file(file, ec)) {
    WARPMIND_CHECK(config::validate_program_task(task));
    std::filesystem::remove(file, ec);
  }
  return config::write_program_task(options.folder, task);
}

}  // namespace

ExitCode run_command(Session& session, const TaskNewOptions& options) {
  Console& console = session.console;
  const auto refuse = [&](const Error& error) {
    return report_error(console, error, exit_code_for(Origin::input, error.code));
  };
  const auto file = std::filesystem::path(options.folder) / config::kProgramTaskFile;
  std::error_code ec;
  if (!options.force && std::filesystem::exists(file, ec)) {
    return refuse({Errc::conflict, file.string() + " is there already; check it with `warpmind "
                                                   "task check`, or write over it with --force"});
  }
  auto proposal = proposal_for(options);
  if (!proposal) return refuse(proposal.error());
  if (!options.yes) {
    if (console.in == nullptr || !console.in_is_terminal) {
      return refuse({Errc::invalid_argument,
                     "there is no terminal to ask at: add --yes to take what is proposed"});
    }
    ask_for_all(console, proposal->notes, proposal->task);
  }
  if (const auto written = write_new_task(options, proposal->task); !written) {
    return refuse(written.error());
  }

  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  tell_of_long_waits(session, *client);
  protocol::ProgramTaskNewReport report;
  report.file = absolute_path(file.string());
  report.notes = proposal->notes;
  const auto check =
      check_program_task(*client, {absolute_path(options.folder), options.provider, options.device,
                                   0, session.loaded.settings.lab.program_folders});
  if (!check) return report_call_error(session, *client, check.error());
  report.check = *check;
  if (console.json) {
    write_document(console, protocol::encode(report));
  } else {
    console.out << render_program_task(proposal->task, report, style_of(console)) << std::flush;
  }
  return exit_code_for(*check);
}

namespace protocol = daemon::protocol;

Result<ProgramCheck> check_program_task(DaemonClient& client,
                                        const protocol::ProgramTaskCheckParams& params) {
  return client.call(protocol::kProgramTaskCheck, params, kNoTimeout);
}

ExitCode exit_code_for(const ProgramCheck& check) {
  return check.admitted ? ExitCode::ok : ExitCode::negative;
}

ExitCode run_command(Session& session, const TaskCheckOptions& options) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  tell_of_long_waits(session, *client);
  const auto check =
      check_program_task(*client, {absolute_path(options.folder), options.provider, options.device,
                                   options.runs, session.loaded.settings.lab.program_folders});
  if (!check) return report_call_error(session, *client, check.error());
  if (session.console.json) {
    write_document(session.console, protocol::encode(*check));
  } else {
    session.console.out << render_program_check(*check, style_of(session.console)) << std::flush;
  }
  return exit_code_for(*check);
}

ExitCode run_command(Session& session, const TaskOptions& options) {
  return std::visit([&session](const auto& one) { return run_command(session, one); }, options);
}

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
