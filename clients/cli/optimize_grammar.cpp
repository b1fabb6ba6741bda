#include "clients/cli/optimize_grammar.h"

#include "base/job_names.h"
#include "clients/cli/option_flags.h"

#include <string_view>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

using daemon::protocol::JobOptions;

/// Headings of the help.
constexpr const char* kResult = "Result";
constexpr const char* kProgram = "Whole programs";

void add_program(CLI::App& app, OptimizeOptions& into) {
  CLI::Option* run = app.add_option("--run", into.run,
                                    "Command that runs the built program; its kernels are "
                                    "optimised. PATH is the program's CUDA file")
                         ->type_name("COMMAND")
                         ->group(kProgram);
  app.add_option("--build", into.build, "Command that builds it, with {source} and {program}")
      ->type_name("COMMAND")
      ->default_str("nvcc -cudart shared")
      ->needs(run)
      ->group(kProgram);
  app.add_option("--run-seconds", into.run_seconds, "Longest run, seconds")
      ->type_name("S")
      ->default_str("300")
      ->needs(run)
      ->group(kProgram);
  app.add_option("--work", into.work, "Folder for the recording and the tasks")
      ->type_name("DIR")
      ->default_str("PATH.warpmind")
      ->needs(run)
      ->group(kProgram);
  app.add_option("--host-edits", into.host_edits,
                 "Also edit host code: all, or names that `explain-moves FILE` lists")
      ->type_name("NAMES")
      ->delimiter(',')
      ->needs(run)
      ->group(kProgram);
  app.add_flag("--no-recorded-inputs", into.no_recorded_inputs,
               "Do not record what buffers hold; the tasks' inputs are invented then")
      ->group(kProgram);
  app.add_flag("--assume-shapes", into.assume_shapes,
               "Leave out the guards and the original kernels; the result is right for the "
               "recorded sizes only")
      ->needs(run)
      ->group(kProgram);
  app.add_flag("--as-user", into.as_user,
               "Build and run a program task (program.toml) as you, outside the sandbox")
      ->group(kProgram);
}

Result<void> check_program(const OptimizeOptions& options) {
  if (options.run.empty()) return {};
  if (options.detach) {
    return fail(Errc::invalid_argument,
                "--detach and --run exclude each other: the program is run again at the end");
  }
  if (options.proposer == "external" || options.proposer == "replay") {
    return fail(Errc::invalid_argument, "--run needs --proposer builtin or llm");
  }
  if (options.run_seconds && !(*options.run_seconds > 0 && *options.run_seconds <= 1e6)) {
    return fail(Errc::invalid_argument, "--run-seconds must be above 0 and at most 1e6");
  }
  return {};
}

}  // namespace

void add_optimize_flags(CLI::App& app, OptimizeOptions& into) {
  app.add_option("PATH", into.directory,
                 "Task folder, with its task.toml; with --run a program's CUDA file")
      ->type_name("TASK")
      ->required();
  add_flags(app, static_cast<JobOptions&>(into), [](std::string_view member, Option& option) {
    if (*option.heading == '\0') option.heading = kResult;
    if (member != "proposer") return true;
    option.choices = kProposerNames;
    option.also = "; `external` opens an episode for your own";
    return true;
  });
  app.add_option("--output", into.output_file, "Write the best kernel to this file")
      ->type_name("FILE")
      ->group(kResult);
  app.add_flag("--verbose", into.verbose, "Also print metrics, all candidates, diff and lessons")
      ->group(kResult);
  app.add_flag("--detach", into.detach, "Queue the job, print its id and return")->group(kResult);
  add_program(app, into);
}

Result<void> check_job_options(const JobOptions& options) {
  if (options.evaluations && *options.evaluations < 1) {
    return fail(Errc::invalid_argument, "--evaluations must be at least 1");
  }
  if (options.proposer == "replay" && options.replay_file.empty()) {
    return fail(Errc::invalid_argument, "--proposer replay needs --replay FILE");
  }
  if (!options.replay_file.empty() && options.proposer != "replay") {
    return fail(Errc::invalid_argument, "--replay FILE needs --proposer replay");
  }
  const bool other = options.provider == "auto" || options.provider == "fixture";
  if (!options.device.empty() && other) {
    return fail(Errc::invalid_argument,
                "--device " + options.device +
                    " chooses what is predicted for (--provider sim) or measured on (--provider "
                    "gpu); it does not go with --provider " +
                    options.provider);
  }
  if (!options.fixture_directory.empty() && options.provider != "fixture") {
    return fail(Errc::invalid_argument, "--fixtures DIR needs --provider fixture");
  }
  if (!options.model.empty() && options.proposer != "llm") {
    return fail(Errc::invalid_argument, "--model NAME needs --proposer llm");
  }
  return check_options(options, OptionNames::flags);
}

Result<void> check_optimize(const OptimizeOptions& options) {
  WARPMIND_CHECK(check_program(options));
  WARPMIND_CHECK(check_job_options(options));
  if (options.detach && !options.output_file.empty()) {
    return fail(Errc::invalid_argument,
                "--detach and --output exclude each other; fetch the kernel later with "
                "`warpmind result JOB --output FILE`");
  }
  return {};
}

}  // namespace warpmind::clients
