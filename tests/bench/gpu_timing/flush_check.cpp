#include "base/sequence.h"
#include "profilers/lab/session_validity.h"
#include "profilers/statistics.h"
#include "tests/bench/gpu_timing/planted_kernels.h"
#include "tests/bench/gpu_timing/timing_checks.h"

#include <cstdio>

namespace warpmind::bench {
namespace {

double median_ns(const profilers::RunnerReport& report) {
  return median_of(profilers::candidate_blocks(report.quads));
}

}  // namespace

Result<CacheEffect> check_flush(BenchLab& lab, const BenchOptions& options) {
  // 2 x 12 MiB: within the L2 of an A100 and everything after it.
  const Task task = copy_task("copy_in_l2", options.is_simulated() ? 4096 : 3L << 20U);
  const SingleRun run{task, task.workloads.front(), task.kernel};
  WARPMIND_TRY(const auto cold, lab.time(run));
  WARPMIND_TRY(const auto hot, lab.time(run, true));
  CacheEffect effect;
  effect.cold_hot_ratio = median_ns(cold) / median_ns(hot);
  std::printf("A copy that fits in L2: %.2f us cold, %.2f us hot, ratio %.2f\n",
              median_ns(cold) / 1e3, median_ns(hot) / 1e3, effect.cold_hot_ratio);
  if (options.is_simulated()) return effect;

  const Kernel persisting = persisting_copy_kernel();
  WARPMIND_TRY(const auto kept, lab.time({task, task.workloads.front(), persisting}, true));
  WARPMIND_TRY(const auto again, lab.time(run));
  effect.persisting_change_percent = 100 * (median_ns(again) / median_ns(cold) - 1);
  std::printf("After a process that kept its input in L2 (%.2f us): %.2f us cold, %+.2f %%\n",
              median_ns(kept) / 1e3, median_ns(again) / 1e3, *effect.persisting_change_percent);
  return effect;
}

}  // namespace warpmind::bench
