#include "agents/benchmark/bench_options.h"

#include "agents/benchmark/arms.h"
#include "base/job_names.h"
#include "config/command_line_text.h"

#include <CLI/CLI.hpp>

namespace warpmind::agents::benchmark {
namespace {

constexpr const char* kFooter =
    "\nExamples:\n"
    "  warpmind bench memory --table shipped.jsonl --svg curves.svg\n"
    "  warpmind bench memory --provider sim --tasks tasks --record sim.jsonl\n"
    "  warpmind bench memory --provider gpu --tasks tasks --record h200.jsonl --seconds 1200 \\\n"
    "      --set lab.confirm_processes=3 --set lab.timing_quads=6\n"
    "\nExit codes: 0 done, 2 bad input, 3 a fault of the program, 4 this machine lacks something,\n"
    "5 cancelled. What it measures, and how: docs/bench_memory.md.";

void add_recording(CLI::App& app, BenchOptions& options) {
  app.add_option("--provider", options.provider,
                 "table replays --table; sim and gpu record --tasks first, then replay")
      ->check(CLI::IsMember({"table", "sim", "gpu"}));
  app.add_option("--table", options.table, "Table to replay")->type_name("FILE");
  app.add_option("--record", options.record,
                 "Record into this file; one that is there is gone on with")
      ->type_name("FILE");
  app.add_flag("--record-only", options.record_only, "Record, and do not replay");
  app.add_option("--tasks", options.tasks, "Task folders, or folders of task folders")
      ->type_name("DIR");
  app.add_option("--device", options.device, "Device that the simulator predicts for, as h200")
      ->type_name("KEY");
  app.add_option("--kernels-per-task", options.kernels_per_task, "Kernels to record of a task")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app.add_option("--seconds", options.seconds, "Wall time of the recording, s")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e9));
}

void add_replay(CLI::App& app, BenchOptions& options) {
  app.add_option("--policy", options.policy,
                 "Search policy: greedy, fsr, mcgs, evolve, turns or auto")
      ->check(CLI::IsMember(std::vector<std::string>(kPolicyNames.begin(), kPolicyNames.end())));
  app.add_option("--orders", options.orders, "Orders of the tasks")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--seeds", options.seeds, "Seeds of the search, for each order")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--evaluations", options.evaluations, "Candidates judged an episode")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  app.add_option("--seed", options.seed, "Of everything random")->type_name("N");
  app.add_option("--threads", options.threads, "Streams at the same time; 0 = one a processor")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  app.add_option("--samples", options.samples, "Resamplings behind an interval")
      ->type_name("N")
      ->check(CLI::Range(100, 10000000));
  std::vector<std::string> names;
  for (const auto& arm : all_arms()) names.emplace_back(arm.name);
  app.add_option("--arms", options.arms, "Arms to run, the control beside them; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--arm", options.arm, "Arm of the RESULT line")->check(CLI::IsMember(names));
  app.add_option("--svg", options.svg, "Write the curves to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "Exactly one JSON document on standard output");
}

Result<void> check(const BenchOptions& options) {
  const bool replays = options.provider == "table";
  if (replays && options.table.empty()) {
    return fail(Errc::invalid_argument,
                "--provider table needs --table FILE; record one with --provider sim or gpu and "
                "--record FILE");
  }
  if (!replays && !options.table.empty()) {
    return fail(Errc::invalid_argument,
                "--table FILE is replayed with --provider table; record "
                "with --record FILE");
  }
  if (replays && (!options.record.empty() || options.record_only || !options.tasks.empty())) {
    return fail(Errc::invalid_argument,
                "--record, --record-only and --tasks need --provider sim or gpu");
  }
  if (!replays && options.tasks.empty()) {
    return fail(Errc::invalid_argument, "--provider " + options.provider + " needs --tasks DIR…");
  }
  if (options.record_only && options.record.empty()) {
    return fail(Errc::invalid_argument, "--record-only needs --record FILE");
  }
  if (!options.device.empty() && options.provider != "sim") {
    return fail(Errc::invalid_argument, "--device KEY needs --provider sim");
  }
  return {};
}

/// CLI11 ends its sentences in several ways.
std::string one_line(std::string text) {
  for (auto& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + "; see `warpmind bench memory --help`";
}

}  // namespace

Result<std::variant<BenchOptions, BenchHelp>> parse_bench_options(int argc,
                                                                  const char* const* argv) {
  BenchOptions options;
  CLI::App app("Experiments on what warpmind does, with figures.", "warpmind-bench");
  app.set_version_flag("--version", std::string("warpmind-bench ") + WARPMIND_VERSION);
  app.require_subcommand(1);
  CLI::App* memory = app.add_subcommand("memory", "Does memory help? Arms, intervals, curves");
  memory->footer(kFooter);
  add_recording(*memory, options);
  add_replay(*memory, options);
  memory->add_option("--config", options.config, "Configuration file instead of the default one")
      ->type_name("FILE");
  memory->add_option("--set", options.assignments, "Setting of the lab, for the recording")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return BenchHelp{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return BenchHelp{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return fail(Errc::invalid_argument, one_line(config::command_line_text(error.what())));
  }
  WARPMIND_CHECK(check(options));
  return options;
}

}  // namespace warpmind::agents::benchmark
