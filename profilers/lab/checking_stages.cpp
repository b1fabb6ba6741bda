/// \file
/// What runs on a GPU before anything is timed: stage simulation ahead of it, then the oracles.

#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace {

/// Of all simulated workloads. The checks before the GPU shall take a second, not the case's whole
/// time limit: a task made from a program has no small workload. Results are checked on the GPU all
/// the same.
constexpr std::uint64_t kMostSimulatedThreads = 1U << 16U;

/// Threads of all launches; 0 when the plan cannot be evaluated.
std::uint64_t threads_of(const Task& task, const Kernel& kernel, const Workload& workload) {
  const auto program = make_program(task, kernel, workload, "");
  std::uint64_t threads = 0;
  if (!program) return threads;
  for (const auto& launch : program->launches) {
    std::uint64_t one = 1;
    for (const auto extent : launch.grid) one *= extent;
    for (const auto extent : launch.block) one *= extent;
    threads += one;
  }
  return threads;
}

/// The smallest workload and what else is small enough: a ring of slots, say, is used twice only
/// where rows are long.
std::vector<const Workload*> simulated_workloads(const Task& task, const Kernel& kernel) {
  std::vector<const Workload*> some{&smallest_workload(task)};
  std::uint64_t threads = threads_of(task, kernel, *some.front());
  for (const Workload* const other : small_workloads(task)) {
    if (other == some.front()) continue;
    const std::uint64_t more = threads_of(task, kernel, *other);
    if (threads + more > kMostSimulatedThreads) continue;
    threads += more;
    some.push_back(other);
  }
  return some;
}

}  // namespace

KernelJudging::Continue KernelJudging::simulate() {
  const bool wanted = parts_.settings.lab.prefilter && order_.kernel.tier == Tier::a;
  if (!wanted || !parts_.simulator) return true;
  begin(Stage::simulation);
  const Workload& smallest = smallest_workload(order_.task);
  const auto threads = threads_of(order_.task, order_.kernel, smallest);
  if (threads > kMostSimulatedThreads) {
    return pass(Stage::simulation,
                "left out: the smallest workload launches " + std::to_string(threads) + " threads");
  }
  WARPMIND_TRY(auto end, verify_simulated(*judging_, candidate_,
                                          {*parts_.simulator, parts_.target.key,
                                           simulated_workloads(order_.task, order_.kernel),
                                           order_.baseline_error}));
  verdict_.findings = std::move(end.findings);
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  if (end.failure && end.reads_late) return stop_with(Stage::simulation, std::move(*end.failure));
  bounds_checked_ = !end.failure;
  // What else the simulator says about results is no evidence about this GPU: the oracles decide.
  return pass(Stage::simulation, end.failure ? "not decided: " + end.failure->reason
                                             : describe_verified(verdict_.findings));
}

KernelJudging::Continue KernelJudging::run_oracles() {
  WARPMIND_TRY(auto runner, take_candidate_runner());
  WARPMIND_TRY(const bool tiny, run_tiny_oracle(runner));
  if (!tiny) return false;
  std::vector<const Workload*> all;
  for (const auto& workload : order_.task.workloads) all.push_back(&workload);
  WARPMIND_TRY(const bool full, run_full_oracle(runner, std::move(all)));
  runner.finish();
  return full;
}

KernelJudging::Continue KernelJudging::run_hidden() {
  return run_hidden_stage([this] { return take_candidate_runner(); });
}

}  // namespace warpmind::profilers
