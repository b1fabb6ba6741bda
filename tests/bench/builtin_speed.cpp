/// \file
/// What the built-in agent makes of task folders: one episode each, on a base of its own that
/// starts empty, on the GPU or in the simulator. Prints a line a task, then
/// `RESULT tasks= improved= geomean= slower= wrong= evaluations= seconds=`.

#include "agents/episode_service.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "knowledge_base/knowledge_base.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind {
namespace {

struct Options {
  std::string provider = "sim";
  std::string policy = "auto";
  std::string device = "h200";
  std::int64_t evaluations = 12;
  double seconds = 600;  ///< a task
  std::vector<std::filesystem::path> tasks;
};

constexpr const char* kUsage =
    "builtin_speed [--provider gpu|sim] [--device KEY] [--policy NAME] [--evaluations N] "
    "[--seconds S] TASK_FOLDER…\n";

Result<Options> read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      options.tasks.emplace_back(word);
      continue;
    }
    if (++i == count) return fail(Errc::invalid_argument, word + " needs a value");
    const std::string value = words[i];
    if (word == "--provider") {
      options.provider = value;
    } else if (word == "--policy") {
      options.policy = value;
    } else if (word == "--device") {
      options.device = value;
    } else if (word == "--evaluations") {
      (void)std::from_chars(value.data(), value.data() + value.size(), options.evaluations);
    } else if (word == "--seconds") {
      options.seconds = std::strtod(value.c_str(), nullptr);
    } else {
      return fail(Errc::invalid_argument, "unknown option " + word + "\n" + kUsage);
    }
  }
  if (options.tasks.empty()) return fail(Errc::invalid_argument, kUsage);
  if (options.provider != "gpu" && options.provider != "sim") {
    return fail(Errc::invalid_argument, "--provider is gpu or sim");
  }
  return options;
}

Result<std::shared_ptr<profilers::KernelLab>> make_lab(const Options& options,
                                                       const config::DeviceTable& devices) {
  config::SettingsSources sources;
  sources.environment = config::capture_environment();
  std::error_code ignored;
  sources.working_directory = std::filesystem::current_path(ignored);
  WARPMIND_TRY(const auto loaded, config::load_settings(sources));
  using Lab = std::shared_ptr<profilers::KernelLab>;
  if (options.provider == "gpu") {
    WARPMIND_TRY(auto lab, profilers::WorkerKernelLab::create(loaded.settings, devices));
    return Lab(std::move(lab));
  }
  WARPMIND_TRY(auto lab,
               profilers::SimulatedKernelLab::create(loaded.settings, devices, options.device));
  return Lab(std::move(lab));
}

/// "warp_per_output lanes=32 > unroll factor=4": the edits that lead to the best kernel.
std::string chain_of(const Episode& episode) {
  std::string chain;
  for (std::int64_t at = episode.best_step; at > 0;) {
    const Step& step = episode.steps.at(static_cast<std::size_t>(at));
    std::string edit = step.candidate.technique;
    if (!step.candidate.parameters.empty()) edit += " " + step.candidate.parameters;
    chain = edit + (chain.empty() ? "" : " > " + chain);
    if (step.edited >= at) break;
    at = step.edited;
  }
  return chain.empty() ? "-" : chain;
}

double time_of(const Episode& episode, std::size_t step) {
  if (step >= episode.steps.size() || !episode.steps[step].verdict.measurement) return 0;
  return episode.steps[step].verdict.measurement->median_ns / 1000;
}

struct Totals {
  int tasks = 0;
  int improved = 0;
  int slower = 0;  ///< best kernels confirmed slower than the given one
  int wrong = 0;   ///< rewrites that did not build, crashed or gave other results
  std::int64_t evaluations = 0;
  double log_gain = 0;
};

class SpeedBench {
 public:
  SpeedBench(Options options, config::DeviceTable devices,
             std::shared_ptr<profilers::KernelLab> lab)
      : options_(std::move(options)), devices_(std::move(devices)), lab_(std::move(lab)) {}

  Result<void> run() {
    std::printf("provider %s, policy %s, %lld evaluations a task; times in us, median\n",
                options_.provider.c_str(), options_.policy.c_str(),
                static_cast<long long>(options_.evaluations));
    const auto start = std::chrono::steady_clock::now();
    for (const auto& folder : options_.tasks) WARPMIND_CHECK(run_task(folder));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "RESULT tasks=%d improved=%d geomean=%.3f slower=%d wrong=%d evaluations=%lld "
        "seconds=%.0f\n",
        totals_.tasks, totals_.improved, std::exp(totals_.log_gain / std::max(totals_.tasks, 1)),
        totals_.slower, totals_.wrong, static_cast<long long>(totals_.evaluations), seconds);
    return {};
  }

 private:
  Result<void> run_task(const std::filesystem::path& folder) {
    WARPMIND_TRY(const auto loaded, config::load_task(folder));
    WARPMIND_TRY(const auto scratch,
                 ScratchDirectory::create(std::filesystem::temp_directory_path(), "speed"));
    WARPMIND_TRY(const auto base, knowledge_base::KnowledgeBase::open(
                                      {.directory = scratch.path() / "base", .clock = clock_}));
    JobRequest request;
    request.task = loaded.task;
    request.budget = {options_.evaluations, options_.seconds};
    request.provider = options_.provider == "gpu" ? Provider::gpu : Provider::sim;
    request.policy = options_.policy;
    request.seed = 1;
    WARPMIND_TRY(auto job, base->store().add_job(request, clock_.wall()));
    job.state = JobState::running;
    agents::EpisodeService service(
        base->store(), devices_, [this](const JobRequest&) { return lab_; }, clock_);
    agents::RunControl control;
    control.progress = [](const agents::EpisodeProgress& news) {
      std::fprintf(stderr, "%s\n", news.line.c_str());
    };
    WARPMIND_CHECK(service.run(job, control));
    WARPMIND_TRY(const auto ended, base->store().find_job(job.id));
    if (!ended || !ended->episode) {
      return fail(Errc::unavailable, folder.string() + ": " + (ended ? ended->error : "no job"));
    }
    report(loaded.task.name, *ended->episode);
    return {};
  }

  void report(const std::string& name, const Episode& episode) {
    int wrong = 0;
    for (const auto& step : episode.steps) {
      const Outcome outcome = step.verdict.outcome;
      if (step.index > 0 && (outcome == Outcome::wrong || outcome == Outcome::build_failed ||
                             outcome == Outcome::crashed || outcome == Outcome::timed_out)) {
        ++wrong;
        std::printf("  fault: step %lld %s %s: %s\n", static_cast<long long>(step.index),
                    step.candidate.technique.c_str(), step.candidate.parameters.c_str(),
                    step.verdict.reason.c_str());
      }
    }
    const bool won = episode.best_against_baseline && episode.outcome == Outcome::improved;
    const double ratio = won ? episode.best_against_baseline->ratio : 1;
    const auto evaluations = static_cast<std::int64_t>(episode.steps.size()) - 1;
    std::printf("%-20s given %9.2f  best %9.2f  %8.2fx", name.c_str(), time_of(episode, 0),
                time_of(episode, static_cast<std::size_t>(episode.best_step)), ratio);
    if (won)
      std::printf(" (%.2f to %.2f)", episode.best_against_baseline->low,
                  episode.best_against_baseline->high);
    std::printf("  %lld evaluations  %s\n", static_cast<long long>(evaluations),
                chain_of(episode).c_str());
    std::fflush(stdout);
    ++totals_.tasks;
    totals_.improved += won ? 1 : 0;
    totals_.slower += episode.outcome == Outcome::regressed ? 1 : 0;
    totals_.wrong += wrong;
    totals_.evaluations += evaluations;
    totals_.log_gain += std::log(ratio);
  }

  Options options_;
  config::DeviceTable devices_;
  std::shared_ptr<profilers::KernelLab> lab_;
  SystemClock clock_;
  Totals totals_;
};

Result<void> run(int count, char** words) {
  WARPMIND_TRY(auto options, read_options(count, words));
  WARPMIND_TRY(auto devices, config::DeviceTable::load());
  WARPMIND_TRY(auto lab, make_lab(options, devices));
  return SpeedBench(std::move(options), std::move(devices), std::move(lab)).run();
}

}  // namespace
}  // namespace warpmind

int main(int count, char** words) {
  const auto ran = warpmind::run(count, words);
  if (ran) return 0;
  std::fprintf(stderr, "builtin_speed: %s\n", ran.error().message.c_str());
  return 4;
}
