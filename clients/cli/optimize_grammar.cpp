#include "clients/cli/optimize_grammar.h"

#include "base/job_names.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

template <std::size_t N>
std::vector<std::string> word_list(const std::array<std::string_view, N>& words) {
  return {words.begin(), words.end()};
}

void add_search(CLI::App& app, OptimizeOptions& into) {
  app.add_option("--policy", into.policy, "How candidates are chosen (setting episode.policy)")
      ->type_name("NAME")
      ->check(CLI::IsMember(word_list(kPolicyNames)));
  app.add_option("--workers", into.workers,
                 "Candidates in the making at a time (setting episode.workers)")
      ->type_name("N");
  app.add_option("--seed", into.seed, "Random seed; the same seed gives the same search")
      ->type_name("N");
  app.add_option("--model", into.model,
                 "For --proposer llm: name at the endpoint, rules:FILE or replay:FILE (setting "
                 "llm.model)")
      ->type_name("NAME");
  app.add_option("--tokens", into.tokens,
                 "Most tokens of language models, 0 = no limit (setting episode.tokens)")
      ->type_name("N");
  app.add_option("--usd", into.usd,
                 "Most US dollars for language models, 0 = no limit (setting episode.usd)")
      ->type_name("X");
  app.add_option("--gpu-seconds", into.gpu_seconds, "Most time in the lab, s; 0 = no limit")
      ->type_name("S");
  app.add_option("--effort", into.effort,
                 "What a kernel must pass: quick checks less and is marked so, strict checks more "
                 "(setting lab.effort)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"quick", "normal", "strict"}));
}

void add_program(CLI::App& app, OptimizeOptions& into) {
  CLI::Option* run =
      app.add_option("--run", into.run,
                     "Command that runs the program built from the CUDA file DIR; its kernels are "
                     "optimised")
          ->type_name("COMMAND");
  app.add_option("--build", into.build,
                 "How to build it, with {source} and {program} (nvcc -cudart shared)")
      ->type_name("COMMAND")
      ->needs(run);
  app.add_option("--run-seconds", into.run_seconds, "Most time of one run, s (300)")
      ->type_name("S")
      ->needs(run);
  app.add_option("--work", into.work, "Folder for record and tasks (FILE.warpmind)")
      ->type_name("DIR")
      ->needs(run);
  app.add_option("--host-edits", into.host_edits,
                 "Also edit host code: all, or names that `explain-moves FILE` lists")
      ->type_name("NAMES")
      ->delimiter(',')
      ->needs(run);
  app.add_flag(
      "--as-user", into.as_user,
      "DIR is a program task (program.toml): build and run it as you, outside the sandbox");
  app.add_flag("--assume-shapes", into.assume_shapes,
               "Leave out the guards and the given kernels: right for the recorded sizes only")
      ->needs(run);
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

Result<void> check_search(const OptimizeOptions& options) {
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

void add_optimize_flags(CLI::App& app, OptimizeOptions& into) {
  app.add_option("DIR", into.directory, "Task folder, with its task.toml; with --run a CUDA file")
      ->required();
  app.add_option("--evaluations", into.evaluations,
                 "Candidates to judge (setting episode.evaluations)")
      ->type_name("N");
  app.add_option("--seconds", into.seconds, "Wall time, s (setting episode.seconds)")
      ->type_name("S");
  app.add_option("--provider", into.provider,
                 "gpu measures, sim predicts in the simulator, fixture replays recorded "
                 "verdicts, auto is gpu where there is one, else sim (setting lab.provider)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "gpu", "sim", "fixture"}));
  app.add_option("--device", into.device,
                 "Device to predict for, as h200 or a100_80; means --provider sim (setting "
                 "lab.target; `warpmind doctor` lists them). With --provider gpu: to measure "
                 "on, here or at a worker, as sm_90 or h200")
      ->type_name("KEY");
  app.add_option("--proposer", into.proposer,
                 "builtin (default) writes candidates, llm asks a language model, external "
                 "opens an episode for your own, replay reads them from --replay")
      ->type_name("NAME")
      ->check(CLI::IsMember(word_list(kProposerNames)));
  app.add_option("--replay", into.replay_file, "Candidates as JSON lines")->type_name("FILE");
  app.add_option("--fixtures", into.fixture_directory,
                 "Recording to replay, for --provider fixture (setting lab.fixture_directory)")
      ->type_name("DIR");
  app.add_option("--output", into.output_file, "Write the best kernel to this file")
      ->type_name("FILE");
  app.add_flag("--detach", into.detach, "Print the job's id and leave");
  app.add_flag("--verbose", into.verbose, "Also print metrics, all candidates, diff and lessons");
  add_search(app, into);
  add_program(app, into);
}

Result<void> check_optimize(const OptimizeOptions& options) {
  WARPMIND_CHECK(check_program(options));
  if (options.evaluations && *options.evaluations < 1) {
    return fail(Errc::invalid_argument, "--evaluations must be at least 1");
  }
  // Written so that NaN fails, too.
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
  if (options.detach && !options.output_file.empty()) {
    return fail(Errc::invalid_argument,
                "--detach and --output exclude each other; fetch the kernel later with "
                "`warpmind result JOB --output FILE`");
  }
  return check_search(options);
}

}  // namespace warpmind::clients
