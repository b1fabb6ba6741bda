#include "base/sequence.h"
#include "config/task_file.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/session_validity.h"
#include "profilers/statistics.h"
#include "tests/bench/gpu_timing/planted_kernels.h"
#include "tests/bench/gpu_timing/timing_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::bench {
namespace {

constexpr std::size_t kMostKernels = 20;
constexpr double kShare = 0.02;
constexpr double kLongNs = 100e3;
constexpr double kShortNs = 5e3;

/// The tasks that come along, by name; for the simulator one that is made for it.
Result<std::vector<Task>> tasks_of(const BenchOptions& options) {
  std::vector<Task> tasks;
  if (options.is_simulated()) {
    tasks.push_back(chain_task("chain_short", 4096, 16));
    return tasks;
  }
  std::vector<std::filesystem::path> folders;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(WARPMIND_TASKS, ec)) {
    if (std::filesystem::exists(entry.path() / "task.toml", ec)) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  if (folders.size() > kMostKernels) folders.resize(kMostKernels);
  for (const auto& folder : folders) {
    WARPMIND_TRY(auto loaded, config::load_task(folder));
    tasks.push_back(std::move(loaded.task));
  }
  return tasks;
}

bool agree(double a_ns, double b_ns) {
  const double longer = std::max(a_ns, b_ns);
  return std::abs(a_ns - b_ns) <= (longer > kLongNs ? kShare * longer : kShortNs);
}

double profiled_ns(const profilers::RunnerReport& report) {
  double sum = 0;
  for (const auto& kernel : report.kernels) {
    sum += kernel.find("gpu__time_duration.sum").value_or(0);
  }
  return sum;
}

}  // namespace

Result<ClockAgreement> check_clocks(BenchLab& lab, const BenchOptions& options) {
  WARPMIND_TRY(const auto tasks, tasks_of(options));
  ClockAgreement found;
  std::printf("Three clocks, us a run\n%-22s %12s %12s %12s\n", "kernel", "events", "host",
              "profiler");
  for (const Task& task : tasks) {
    const SingleRun run{task, *profilers::timed_workloads(task).front(), task.kernel};
    WARPMIND_TRY(const auto timed, lab.time(run));
    WARPMIND_TRY(const auto profiled, lab.profile(run));
    const double events = median_of(profilers::candidate_blocks(timed.quads));
    const double profiler = profiled_ns(profiled);
    const bool has_profiler = profiler > 0;
    // A simulator's events are predictions: no clock agrees with them.
    const bool fine = agree(events, timed.wall_ns) && (!has_profiler || agree(events, profiler));
    ++found.kernels;
    found.agree += fine ? 1 : 0;
    found.without += has_profiler ? 0 : 1;
    std::printf("%-22s %12.2f %12.2f %12.2f%s\n", task.name.c_str(), events / 1e3,
                timed.wall_ns / 1e3, profiler / 1e3,
                fine || options.is_simulated() ? "" : "  they disagree");
    std::fflush(stdout);
  }
  return found;
}

}  // namespace warpmind::bench
