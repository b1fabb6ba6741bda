#include "profilers/statistics.h"
#include "tests/bench/gpu_timing/planted_kernels.h"
#include "tests/bench/gpu_timing/timing_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace warpmind::bench {
namespace {

using profilers::student_t_quantile;

/// Fills the multiprocessors of an H200 twice over.
constexpr std::int64_t kManyThreads = 132L * 2048 * 2;
constexpr std::int64_t kFewThreads = 4096;  // for the simulator

/// About 5 us, 50 us, 200 us, 1 ms, 5 ms and 20 ms on an H200.
std::vector<Task> equal_kernel_tasks(const BenchOptions& options) {
  if (options.is_simulated()) {
    return {copy_task("copy_small", 4096), chain_task("chain_short", kFewThreads, 16)};
  }
  return {copy_task("copy_1MiB", 1L << 17U),
          copy_task("copy_128MiB", 1L << 24U),
          chain_task("chain_200us", kManyThreads, 12'000),
          chain_task("chain_1ms", kManyThreads, 60'000),
          chain_task("chain_5ms", kManyThreads, 300'000),
          chain_task("chain_20ms", kManyThreads, 1'200'000)};
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// The gain that passes the bound in 95 of 100, for processes that differ by `sigma` (log ratio).
double detectable(double sigma, std::int64_t processes) {
  const auto freedom = static_cast<double>(processes - 1);
  const double reach = student_t_quantile(0.99, freedom) + student_t_quantile(0.95, freedom);
  const double gain = reach * sigma / std::sqrt(static_cast<double>(processes));
  return std::max(gain, profilers::kSmallestGain);
}

double median_us(const profilers::Confirmation& confirmation) {
  return profilers::measurement_of(confirmation.samples).median_ns / 1e3;
}

}  // namespace

Result<FalseGains> check_false_gains(BenchLab& lab, const BenchOptions& options) {
  FalseGains found;
  std::vector<double> all;
  std::printf("Equal kernels against each other\n%-14s %12s %6s %9s %10s %9s %9s\n", "kernel",
              "us a run", "pairs", "improved", "regressed", "noise", "seen from");
  for (const Task& task : equal_kernel_tasks(options)) {
    std::vector<double> ratios;
    double us = 0;
    std::int64_t improved = 0;
    std::int64_t regressed = 0;
    const std::int64_t pairs = options.is_simulated() ? 1 : options.pairs;
    for (std::int64_t i = 0; i < pairs; ++i) {
      WARPMIND_TRY(const auto confirmation, lab.confirm(task, task.kernel, task.kernel));
      improved += confirmation.decision.outcome == Outcome::improved ? 1 : 0;
      regressed += confirmation.decision.outcome == Outcome::regressed ? 1 : 0;
      for (const auto& sample : confirmation.samples) {
        ratios.push_back(profilers::sample_log_ratio(sample));
      }
      us = median_us(confirmation);
    }
    const double seen_from = detectable(deviation(ratios), options.processes);
    std::printf("%-14s %12.1f %6lld %9lld %10lld %8.3f%% %8.2f%%\n", task.name.c_str(), us,
                static_cast<long long>(pairs), static_cast<long long>(improved),
                static_cast<long long>(regressed), 100 * deviation(ratios), 100 * seen_from);
    std::fflush(stdout);
    found.pairs += pairs;
    found.false_improved += improved;
    found.false_regressed += regressed;
    found.detectable_percent = std::max(found.detectable_percent, 100 * seen_from);
    all.insert(all.end(), ratios.begin(), ratios.end());
  }
  double squares = 0;
  for (const double ratio : all) squares += ratio * ratio;
  found.noise_percent =
      all.empty() ? 0 : 100 * std::sqrt(squares / static_cast<double>(all.size()));
  return found;
}

Result<PlantedLosses> check_planted_losses(BenchLab& lab, const BenchOptions& options) {
  const Task task = options.is_simulated() ? chain_task("chain_planted", 512, 6000)
                                           : chain_task("chain_planted", kManyThreads, 30'000);
  std::vector<std::int64_t> losses{1, 2, 5, 10};
  if (options.is_simulated()) losses = {10};
  PlantedLosses found;
  std::printf("Planted losses on %s\n%8s %6s %6s %10s %10s\n", task.name.c_str(), "planted",
              "pairs", "seen", "estimate", "error");
  const std::int64_t pairs = options.is_simulated() ? 1 : options.pairs;
  for (const std::int64_t percent : losses) {
    const Kernel slower = chain_kernel(percent);
    std::int64_t seen = 0;
    double sum = 0;
    for (std::int64_t i = 0; i < pairs; ++i) {
      WARPMIND_TRY(const auto confirmation, lab.confirm(task, slower, task.kernel));
      seen += confirmation.decision.outcome == Outcome::regressed ? 1 : 0;
      const double loss = 100 * (1 / confirmation.decision.comparison.ratio - 1);
      sum += loss;
      found.largest_error_points =
          std::max(found.largest_error_points, std::abs(loss - static_cast<double>(percent)));
    }
    const double mean = sum / static_cast<double>(pairs);
    found.seen_share[percent] = static_cast<double>(seen) / static_cast<double>(pairs);
    std::printf("%7lld%% %6lld %6lld %9.2f%% %9.2f%%\n", static_cast<long long>(percent),
                static_cast<long long>(pairs), static_cast<long long>(seen), mean,
                mean - static_cast<double>(percent));
    std::fflush(stdout);
  }
  return found;
}

}  // namespace warpmind::bench
