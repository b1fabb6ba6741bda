#include "clients/cli/commands/kernel_commands.h"

#include "base/file.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/program_run/user_program.h"
#include "clients/cli/report/baseline_report.h"
#include "clients/cli/report/flops_report.h"
#include "clients/cli/report/moves_report.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/kernel_messages.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace warpmind::clients {
namespace {

constexpr std::size_t kMostSource = std::size_t{4} << 20U;  // bytes

/// Errors: not_found when there is neither folder nor file, invalid_argument for a file too large.
Result<daemon::protocol::MovesExplainParams> params_of(const ExplainMovesOptions& options) {
  daemon::protocol::MovesExplainParams params;
  params.device = options.device;
  params.technique = options.technique;
  params.parameters = options.parameters;
  std::error_code ec;
  if (std::filesystem::is_regular_file(options.path, ec)) {
    WARPMIND_TRY(params.source, read_file(options.path, kMostSource));
    if (params.source.empty()) return fail(Errc::invalid_argument, options.path + " is empty");
    return params;
  }
  WARPMIND_TRY(const auto directory, task_directory(options.path));
  params.directory = directory.string();
  return params;
}

}  // namespace

ExitCode run_command(Session& session, const ExplainMovesOptions& options) {
  using Result = daemon::protocol::MovesExplainResult;
  const auto params = params_of(options);
  if (!params) return report_error(session.console, params.error(), ExitCode::bad_input);
  const bool with_diffs = options.diff || !options.technique.empty();
  return ask(session, daemon::protocol::kMovesExplain, *params,
             [&session, with_diffs](const Result& reply) {
               return render_moves(reply, with_diffs, style_of(session.console));
             });
}

namespace {

/// Errors: not_found when there is neither file nor task folder.
Result<daemon::protocol::FlopsCountParams> params_of(const FlopsOptions& options) {
  daemon::protocol::FlopsCountParams params;
  params.device = options.device;
  params.workload = options.workload;
  std::error_code ec;
  std::string task = options.task;
  if (std::filesystem::is_regular_file(options.path, ec)) {
    params.file = absolute_path(options.path);
  } else if (task.empty()) {
    task = options.path;
  } else {
    return fail(Errc::not_found, options.path +
                                     " is no file; give a .cu, .ptx, .cubin or .fatbin "
                                     "file, or a task folder without --task");
  }
  if (!task.empty()) {
    WARPMIND_TRY(const auto directory, task_directory(task));
    params.directory = directory.string();
  }
  return params;
}

constexpr std::chrono::minutes kMostRun{5};

/// Builds and runs the program, on the simulator's runtime. Errors: not_found for its file; those
/// of UserProgram.
Result<daemon::protocol::FlopsCountParams> record_program(const Session& session,
                                                          const FlopsOptions& options,
                                                          const std::filesystem::path& folder,
                                                          int interrupt) {
  std::error_code ec;
  const std::filesystem::path source = absolute_path(options.path);
  if (!std::filesystem::is_regular_file(source, ec)) {
    return fail(Errc::not_found, options.path + " is no file; give the program's .cu file");
  }
  WARPMIND_TRY(auto runtime, program_runtime(session.loaded.settings, true, options.device));
  const UserProgram program({options.run, options.build, kMostRun}, std::move(runtime), folder,
                            source.parent_path(), interrupt);
  WARPMIND_CHECK(program.build(source));
  daemon::protocol::FlopsCountParams params;
  params.device = program.runtime().device;
  params.file = (folder / "program").string();
  params.record = (folder / "record").string();
  WARPMIND_TRY(const auto end, program.run(params.record));
  if (!std::filesystem::exists(params.record, ec)) {
    return fail(Errc::invalid_argument,
                "the program made no CUDA call that can be seen; a build command must link with "
                "-cudart shared and keep PTX in the program (code=compute_XX)");
  }
  return params;
}

ExitCode run_recorded(Session& session, const FlopsOptions& options) {
  using Result = daemon::protocol::FlopsCountResult;
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  std::error_code ec;
  const auto folder =
      ScratchDirectory::create(std::filesystem::temp_directory_path(ec), "warpmind-flops");
  if (!folder) return report_error(session.console, folder.error(), ExitCode::daemon);
  const auto params = record_program(session, options, folder->path(), interrupts->fd());
  if (!params) {
    return report_error(session.console, params.error(),
                        exit_code_for(Origin::input, params.error().code));
  }
  return ask(session, daemon::protocol::kFlopsCount, *params, [&session](const Result& reply) {
    return render_flops(reply, style_of(session.console));
  });
}

}  // namespace

ExitCode run_command(Session& session, const FlopsOptions& options) {
  using Result = daemon::protocol::FlopsCountResult;
  if (!options.run.empty()) return run_recorded(session, options);
  const auto params = params_of(options);
  if (!params) return report_error(session.console, params.error(), ExitCode::bad_input);
  return ask(session, daemon::protocol::kFlopsCount, *params, [&session](const Result& reply) {
    return render_flops(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const BaselineOptions& options) {
  using Reply = daemon::protocol::LibraryBaselineResult;
  const auto directory = task_directory(options.directory);
  if (!directory) return report_error(session.console, directory.error(), ExitCode::bad_input);
  const daemon::protocol::LibraryBaselineParams params{directory->string(), options.again};
  return ask(
      session, daemon::protocol::kLibraryBaseline, params, kNoTimeout,
      [&session](const Reply& reply) { return render_baseline(reply, style_of(session.console)); },
      [](const Reply& reply) { return exit_code_for(reply.verdict.outcome); });
}

/// Becomes warpmind-bench: beside this program, else on PATH. Returns only when that fails.
ExitCode run_command(Session& session, const BenchOptions& options) {
  const std::string name = "warpmind-bench";
  std::vector<std::string> words = options.words;
  words.insert(words.begin(), name);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  session.console.out.flush();
  session.console.err.flush();

  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  if (!ec) ::execv((self.parent_path() / name).c_str(), argv.data());
  ::execvp(name.c_str(), argv.data());
  const int code = errno;
  const Error error{Errc::not_found, name + " is neither beside this program nor on PATH (" +
                                         std::strerror(code) + "); install it"};
  return report_error(session.console, error, ExitCode::environment);
}

}  // namespace warpmind::clients
