#include "clients/cli/optimize_grammar.h"

#include "base/job_names.h"
#include "clients/cli/grammar_parts.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

using daemon::protocol::JobOptions;

template <std::size_t N>
std::vector<std::string> word_list(const std::array<std::string_view, N>& words) {
  return {words.begin(), words.end()};
}

/// Headings of the help.
constexpr const char* kBudget = "Budget";
constexpr const char* kSearch = "Search";
constexpr const char* kJudging = "Judging";
constexpr const char* kResult = "Result";
constexpr const char* kProgram = "Whole programs";

void add_budget(CLI::App& app, JobOptions& into) {
  from_setting(app.add_option("--evaluations", into.evaluations, "Candidates to judge")
                   ->type_name("N")
                   ->group(kBudget),
               "episode.evaluations");
  from_setting(app.add_option("--seconds", into.seconds, "Wall time, seconds")
                   ->type_name("S")
                   ->group(kBudget),
               "episode.seconds");
  app.add_option("--gpu-seconds", into.gpu_seconds, "Most lab time, seconds; 0 = no limit")
      ->type_name("S")
      ->default_str("0")
      ->group(kBudget);
  from_setting(
      app.add_option("--tokens", into.tokens, "Most tokens of language models; 0 = no limit")
          ->type_name("N")
          ->group(kBudget),
      "episode.tokens");
  from_setting(
      app.add_option("--usd", into.usd, "Most US dollars for language models; 0 = no limit")
          ->type_name("X")
          ->group(kBudget),
      "episode.usd");
}

void add_search(CLI::App& app, JobOptions& into, bool waits) {
  auto proposers = word_list(kProposerNames);
  if (!waits) std::erase(proposers, std::string(kExternalProposer));
  one_of(app.add_option("--proposer", into.proposer,
                        std::string("Who writes the candidates: builtin rewrites the kernel by "
                                    "rules, llm asks a language model, ") +
                            (waits ? "external opens an episode for your own, " : "") +
                            "replay reads them from --replay")
             ->type_name("NAME")
             ->default_str(std::string(kBuiltinProposer))
             ->group(kSearch),
         proposers);
  from_setting(app.add_option("--model", into.model,
                              "Language model, with --proposer llm: its name at the endpoint, "
                              "rules:FILE or replay:FILE")
                   ->type_name("NAME")
                   ->group(kSearch),
               "llm.model");
  app.add_option("--replay", into.replay_file, "Candidates as JSON lines, with --proposer replay")
      ->type_name("FILE")
      ->group(kSearch);
  one_of(from_setting(app.add_option("--policy", into.policy, "How candidates are chosen")
                          ->type_name("NAME")
                          ->group(kSearch),
                      "episode.policy"),
         word_list(kPolicyNames));
  from_setting(app.add_option("--workers", into.workers, "Candidates written at the same time")
                   ->type_name("N")
                   ->group(kSearch),
               "episode.workers");
  app.add_option("--seed", into.seed, "Random seed; the same seed gives the same search")
      ->type_name("N")
      ->group(kSearch);
}

void add_judging(CLI::App& app, JobOptions& into) {
  one_of(from_setting(app.add_option("--provider", into.provider,
                                     "gpu measures, sim predicts in the simulator, fixture "
                                     "replays recorded verdicts, auto is gpu where there is one "
                                     "and sim elsewhere")
                          ->type_name("NAME")
                          ->group(kJudging),
                      "lab.provider"),
         {"auto", "gpu", "sim", "fixture"});
  from_setting(app.add_option("--device", into.device,
                              "Device to predict for, such as h200 or a100_80; implies --provider "
                              "sim. With --provider gpu: the GPU to measure on, here or at a "
                              "worker, such as sm_90 or h200")
                   ->type_name("DEVICE")
                   ->group(kJudging),
               "lab.target");
  one_of(from_setting(app.add_option("--effort", into.effort,
                                     "How much a kernel is checked: quick checks less and is "
                                     "marked so, strict checks more")
                          ->type_name("NAME")
                          ->group(kJudging),
                      "lab.effort"),
         {"quick", "normal", "strict"});
  from_setting(app.add_option("--fixtures", into.fixture_directory,
                              "Recording to replay, with --provider fixture")
                   ->type_name("DIR")
                   ->group(kJudging),
               "lab.fixture_directory");
}

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

Result<void> check_search(const JobOptions& options) {
  if (options.workers && *options.workers < 1) {
    return fail(Errc::invalid_argument, "--workers must be at least 1");
  }
  if (options.seed && *options.seed < 0) {
    return fail(Errc::invalid_argument, "--seed must be at least 0");
  }
  if (options.tokens && *options.tokens < 0) {
    return fail(Errc::invalid_argument, "--tokens must be at least 0; 0 sets no limit");
  }
  if (options.usd && !(*options.usd >= 0 && *options.usd <= 1e6)) {
    return fail(Errc::invalid_argument, "--usd must be at least 0 and at most 1000000");
  }
  if (options.gpu_seconds && !(*options.gpu_seconds >= 0 && *options.gpu_seconds <= 1e9)) {
    return fail(Errc::invalid_argument, "--gpu-seconds must be at least 0 and at most 1e9");
  }
  if (!options.model.empty() && options.proposer != "llm") {
    return fail(Errc::invalid_argument, "--model NAME needs --proposer llm");
  }
  return {};
}

}  // namespace

void add_job_flags(CLI::App& app, JobOptions& into, bool waits) {
  add_budget(app, into);
  add_judging(app, into);
  add_search(app, into, waits);
}

void add_optimize_flags(CLI::App& app, OptimizeOptions& into) {
  app.add_option("PATH", into.directory,
                 "Task folder, with its task.toml; with --run a program's CUDA file")
      ->type_name("TASK")
      ->required();
  add_job_flags(app, into, true);
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
  // NaN fails, too.
  if (options.seconds && !(*options.seconds > 0 && *options.seconds <= 1e9)) {
    return fail(Errc::invalid_argument, "--seconds must be above 0 and at most 1e9");
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
  return check_search(options);
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
