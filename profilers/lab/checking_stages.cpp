/// \file
/// What runs on a GPU before anything is timed: stage simulation ahead of it, then the oracles.

#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"

#include <string>
#include <utility>
#include <vector>

namespace warpmind::profilers {
KernelJudging::Continue KernelJudging::simulate() {
  const bool wanted = parts_.settings.lab.prefilter && order_.kernel.tier == Tier::a;
  if (!wanted || !parts_.simulator) return true;
  begin(Stage::simulation);
  // Beyond their share a drawn sample of blocks runs: a task made from a program has no small
  // workload, and a grid of idle blocks must not keep the others from being looked at. Results are
  // checked on the GPU all the same.
  const auto workloads = small_workloads(order_.task);
  WARPMIND_TRY(auto end,
               verify_simulated(*judging_, candidate_,
                                {*parts_.simulator, parts_.target.key, workloads,
                                 order_.baseline_error, kSampledInstructions / workloads.size()}));
  verdict_.findings = end.findings;
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  if (end.failure && end.is_certain) return stop_with(Stage::simulation, std::move(*end.failure));
  bounds_checked_ = !end.failure && end.left_out.empty();
  // What else the simulator says about results is no evidence about this GPU: the oracles decide.
  return pass(Stage::simulation,
              end.failure ? "not decided: " + end.failure->reason : describe_verified(end));
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
