#include "agents/benchmark/bench_program.h"

#include "agents/benchmark/curves_svg.h"
#include "agents/benchmark/move_forecasts.h"
#include "agents/benchmark/recorder.h"
#include "agents/benchmark/report.h"
#include "agents/benchmark/scratch_base.h"
#include "agents/benchmark/table_file.h"
#include "agents/builtin/builtin_proposer.h"
#include "base/file.h"
#include "base/part.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <ostream>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

namespace fs = std::filesystem;

/// Below this the table says little about this build.
constexpr double kMostlyReachable = 0.9;

/// The table of docs/cli.md.
int exit_code_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found:
    case Errc::conflict:
    case Errc::corrupt_data: return 2;
    case Errc::cancelled: return 5;
    case Errc::timeout:
    case Errc::unavailable:
    case Errc::external_failure: return 4;
  }
  return 3;
}

Result<std::vector<Task>> load_tasks(const std::vector<std::string>& folders) {
  std::vector<fs::path> directories;
  for (const auto& folder : folders) {
    std::error_code ec;
    if (fs::exists(fs::path(folder) / "task.toml", ec)) {
      directories.emplace_back(folder);
      continue;
    }
    std::vector<fs::path> below;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
      if (fs::exists(entry.path() / "task.toml", ec)) below.push_back(entry.path());
    }
    if (below.empty()) {
      return fail(Errc::invalid_argument,
                  folder + " is no task folder and has none in it: there is no task.toml");
    }
    std::sort(below.begin(), below.end());
    directories.insert(directories.end(), below.begin(), below.end());
  }
  std::vector<Task> tasks;
  for (const auto& directory : directories) {
    WARPMIND_TRY(auto loaded, config::load_task(directory));
    tasks.push_back(std::move(loaded.task));
  }
  return tasks;
}

/// One command from its options to its exit.
class MemoryBench {
 public:
  MemoryBench(const BenchOptions& options, std::ostream& out, std::ostream& err,
              std::stop_token stop)
      : options_(options), out_(out), err_(err), stop_(std::move(stop)) {}

  Result<void> run_bench() {
    WARPMIND_TRY(const EvaluationTable table,
                 options_.provider == "table" ? replayed() : recorded());
    if (options_.record_only) return {};
    WARPMIND_TRY(const ExperimentPlan plan, make_plan());
    return replay(table, plan);
  }

 private:
  void say(const std::string& line) {
    const std::lock_guard lock(mutex_);
    err_ << line << std::endl;
  }

  Result<EvaluationTable> replayed() {
    WARPMIND_TRY(auto reading, read_table(options_.table));
    for (const auto& problem : reading.problems) say("warpmind-bench: " + problem);
    if (reading.cut_short) {
      say("warpmind-bench: the last line of " + options_.table.string() +
          " is cut short; the recording was interrupted there");
    }
    return std::move(reading.table);
  }

  Result<std::unique_ptr<profilers::KernelLab>> make_lab() {
    config::SettingsSources sources;
    if (!options_.config.empty()) sources.file = options_.config;
    sources.environment = config::capture_environment();
    sources.overrides = options_.assignments;
    std::error_code ignored;
    sources.working_directory = fs::current_path(ignored);
    WARPMIND_TRY(const auto loaded, config::load_settings(sources));
    using Lab = std::unique_ptr<profilers::KernelLab>;
    if (options_.provider == "gpu") {
      WARPMIND_TRY(auto lab, profilers::WorkerKernelLab::create(loaded.settings, devices_));
      return Lab(std::move(lab));
    }
    WARPMIND_TRY(auto lab,
                 profilers::SimulatedKernelLab::create(loaded.settings, devices_, options_.device));
    return Lab(std::move(lab));
  }

  Result<EvaluationTable> recorded() {
    WARPMIND_TRY(const auto tasks, load_tasks(options_.tasks));
    WARPMIND_TRY(const auto lab, make_lab());
    WARPMIND_TRY(const auto folder, ScratchDirectory::create(scratch_root(), "warpmind-record"));
    const fs::path file = options_.record.empty() ? folder.path() / "table.jsonl" : options_.record;
    const RecordingParts parts{*lab, proposer_, devices_, clock_,
                               [this](const std::string& line) { say(line); }};
    WARPMIND_TRY(
        auto table,
        record_table(parts, tasks, {options_.kernels_per_task, options_.seconds}, file, stop_));
    if (stop_.stop_requested()) {
      return fail(Errc::cancelled, "the recording was interrupted" +
                                       (options_.record.empty()
                                            ? std::string()
                                            : "; the same command goes on with " + file.string()));
    }
    return table;
  }

  Result<ExperimentPlan> make_plan() const {
    ExperimentPlan plan{part<ExperimentTerms>(options_), {}};
    for (const auto& arm : all_arms()) {
      const bool wanted =
          options_.arms.empty() || arm.name == kControl || contains(options_.arms, arm.name);
      if (wanted) plan.arms.push_back(arm);
    }
    const bool has_result = std::any_of(plan.arms.begin(), plan.arms.end(),
                                        [&](const Arm& arm) { return arm.name == result_arm(); });
    if (!has_result) {
      return fail(Errc::invalid_argument, "the arm of the RESULT line, " +
                                              std::string(result_arm()) + ", is not among --arms");
    }
    return plan;
  }

  [[nodiscard]] std::string_view result_arm() const {
    if (!options_.arm.empty()) return options_.arm;
    return options_.arms.empty() ? kProduct : std::string_view(options_.arms.front());
  }

  Result<void> replay(const EvaluationTable& table, const ExperimentPlan& plan) {
    ExperimentParts parts{table, proposer_, devices_, clock_};
    const double reachable = reachable_share(parts);
    if (reachable <= 0) {
      return fail(Errc::invalid_argument,
                  "this build's moves lead to none of the recorded kernels; record anew");
    }
    if (reachable < kMostlyReachable) {
      say("warpmind-bench: this build's moves lead to " + fixed(100 * reachable, 0) +
          " % of the recorded kernels; the rest is hidden; record anew");
    }
    parts.progress = [this](std::int64_t done, std::int64_t all) {
      const std::int64_t tenth = std::max<std::int64_t>(all / 10, 1);
      if (done % tenth == 0) say(std::to_string(done) + " of " + std::to_string(all) + " episodes");
    };
    WARPMIND_TRY(const auto result, run_experiment(parts, plan, stop_));
    Summary summary = summarise(table, plan, result.runs, {options_.samples, options_.seed});
    summary.forecasts = figures_of(result.forecasts);
    if (!options_.svg.empty()) {
      WARPMIND_CHECK(write_output_file(options_.svg, curves_svg(summary, heading(table, plan))));
    }
    if (options_.json) {
      out_ << render_json(summary, table, plan, result_arm()) << '\n';
    } else {
      out_ << heading(table, plan) << "\n\n"
           << render_table(summary) << result_line(summary, result_arm()) << '\n';
    }
    out_.flush();
    return {};
  }

  const BenchOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  std::stop_token stop_;
  std::mutex mutex_;
  SystemClock clock_;
  const config::DeviceTable& devices_ = config::device_table();
  builtin::BuiltinProposer proposer_;
};

}  // namespace

int run_bench_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                      const std::stop_token& stop) {
  const auto parsed = parse_bench_options(argc, argv);
  if (!parsed) {
    err << "warpmind-bench: " << parsed.error().message << '\n';
    return exit_code_of(parsed.error().code);
  }
  if (const auto* help = std::get_if<BenchHelp>(&*parsed)) {
    out << help->text;
    return 0;
  }
  const auto ran = MemoryBench(std::get<BenchOptions>(*parsed), out, err, stop).run_bench();
  if (ran) return 0;
  err << "warpmind-bench: " << ran.error().message << '\n';
  return exit_code_of(ran.error().code);
}

}  // namespace warpmind::agents::benchmark
