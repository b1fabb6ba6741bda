#include "profilers/lab/verification.h"

#include "profilers/lab/oracle.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/static_checks.h"

#include <algorithm>
#include <string>
#include <sys/random.h>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace {

/// "; …" for a result that may be wrong because of them, or nothing.
std::string describe_late_reads(const std::vector<simulator::LaunchReport>& launches) {
  for (const auto& launch : launches) {
    const std::vector<int>& lines = launch.launch.late_reads;
    if (lines.empty()) continue;
    std::string text;
    for (const int line : lines) text += (text.empty() ? "" : ", ") + std::to_string(line);
    return "; in " + launch.launch.kernel + (lines.size() == 1 ? " line " : " lines ") + text +
           " a volatile, relaxed or atomic read saw the value before a write that nothing orders "
           "in front of it: a barrier, __syncwarp or fence may be missing";
  }
  return "";
}

struct Pass {
  SimulationMode mode = SimulationMode::verify;
  const char* order = "";  ///< for a sentence about a failure
};

std::vector<Pass> passes_for(const Task& task, const Kernel& kernel, bool is_sampled) {
  std::vector<Pass> passes{{SimulationMode::verify, ""}};
  // Else the repetition is in reverse order, and bit-equal.
  if (!task.contract.deterministic || is_sampled) {
    passes.push_back(
        {SimulationMode::verify_reversed, " (with blocks and warps in reverse order)"});
  }
  // A sample is in a drawn order already.
  if (!is_sampled && may_poll_memory(kernel.source)) {
    passes.push_back({SimulationMode::verify_drawn, " (with blocks in a drawn order)"});
  }
  return passes;
}

/// Takes off launches whose input may be incomplete, because blocks of an earlier launch of the
/// same case were left out. Returns what was left out, in words.
std::string drop_uncertain(std::vector<simulator::LaunchReport>& launches, std::size_t in_a_case) {
  std::vector<simulator::LaunchReport> certain;
  std::string left_out;
  bool is_partial = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (i % std::max<std::size_t>(1, in_a_case) == 0) is_partial = false;
    if (is_partial) continue;
    const simulator::LaunchRecord& launch = launches[i].launch;
    is_partial = launches[i].finished && launch.blocks_run < launch.blocks;
    if (is_partial && left_out.empty()) {
      left_out = "of " + std::to_string(launch.blocks) + " blocks of " + launch.kernel + ", " +
                 std::to_string(launch.blocks_run) + " ran";
    }
    certain.push_back(std::move(launches[i]));
  }
  launches = std::move(certain);
  return left_out;
}

/// Fills in what the simulator says about the launches of `runner`. Its words say more than the
/// CUDA error or the wrong element that they led to.
void explain(const WorkerSession& runner, const Kernel& kernel, const Pass& pass,
             VerificationEnd& end) {
  auto launches = read_simulation(runner);
  if (!launches) {
    end.failure = StageFailure{Outcome::crashed, launches.error().message};
    return;
  }
  const std::string left_out = drop_uncertain(*launches, kernel.plan.launches.size());
  auto findings = findings_of(*launches);
  end.defect = defect_of(findings);
  if (pass.mode == SimulationMode::verify || end.defect) end.findings = std::move(findings);
  if (end.left_out.empty()) end.left_out = left_out;
  if (auto stopped = stop_of(*launches)) end.failure = std::move(stopped);
  if (!end.failure) return;
  const bool is_wrong = end.failure->outcome == Outcome::wrong;
  if (!left_out.empty() && (is_wrong || end.failure->outcome == Outcome::crashed)) {
    end.failure.reset();  // what the blocks that were left out would have made may be missing
    return;
  }
  if (is_wrong && pass.mode == SimulationMode::verify) {
    const std::string late = describe_late_reads(*launches);
    end.failure->reason += late;
    end.is_certain = !late.empty();
  }
  const auto is_deadlock = [](const simulator::LaunchReport& launch) {
    return launch.launch.end == simulator::LaunchEnd::deadlock;
  };
  if (left_out.empty() && std::any_of(launches->begin(), launches->end(), is_deadlock)) {
    end.is_certain = true;
  }
  end.failure->reason += pass.order;
}

}  // namespace

Result<WorkerSession> start_simulated(const Sandbox& sandbox, const RunnerPlace& place,
                                      const BuiltKernel& kernel) {
  WARPMIND_TRY(auto runner, WorkerSession::start(sandbox, place));
  WARPMIND_CHECK(runner.add_binary(kernel.binary, "candidate"));
  return runner;
}

std::vector<const Workload*> small_workloads(const Task& task) {
  std::vector<const Workload*> small;
  for (const Workload& workload : task.workloads) {
    if (!workload.timed) small.push_back(&workload);
  }
  if (small.empty()) small.push_back(&smallest_workload(task));
  return small;
}

namespace {

/// Runs each workload on one case, without a look at the results. Errors: ours only.
Result<std::optional<StageFailure>> only_run(Judging& judging, WorkerSession& runner,
                                             const BuiltKernel& kernel, const OracleOrder& order) {
  for (const Workload* const workload : order.workloads) {
    WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, *workload, 1, CaseUse::run_only));
    WARPMIND_TRY(auto failure, run_cases(judging, runner, kernel, *workload, cases,
                                         {1, order.case_seconds, order.blocks}));
    clear_cases(runner);
    if (failure) return failure;
  }
  return std::optional<StageFailure>();
}

}  // namespace

Result<std::uint64_t> draw_block_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    return fail(Errc::external_failure, "getrandom gave no seed for a sample of blocks");
  }
  return std::max<std::uint64_t>(seed, 1);
}

Result<VerificationEnd> verify_simulated(Judging& judging, const BuiltKernel& kernel,
                                         const VerificationOrder& order) {
  VerificationEnd end;
  const std::size_t launches = std::max<std::size_t>(1, kernel.kernel->plan.launches.size());
  OracleOrder oracle{order.workloads, 1, order.baseline_error};
  if (order.instructions > 0) {
    WARPMIND_TRY(const std::uint64_t seed, draw_block_seed());
    oracle.blocks = BlockSample{seed, std::max<std::uint64_t>(1, order.instructions / launches)};
  }
  for (const Pass& pass : passes_for(judging.task, *kernel.kernel, order.instructions > 0)) {
    WARPMIND_TRY(auto runner, start_simulated(judging.sandbox,
                                              place_for(order.simulator, pass.mode, order.device,
                                                        judging.settings.case_timeout_s),
                                              kernel));
    oracle.runs = pass.mode == SimulationMode::verify_drawn ? 1 : 2;
    if (order.only_run) {
      WARPMIND_TRY(end.failure, only_run(judging, runner, kernel, oracle));
    } else {
      WARPMIND_TRY(auto answer, run_oracle(judging, runner, kernel, oracle));
      end.failure = std::move(answer.failure);
    }
    explain(runner, *kernel.kernel, pass, end);
    runner.finish();
    if (end.defect || end.failure) break;
  }
  return end;
}

std::string describe_verified(const VerificationEnd& end) {
  const auto wasted = std::count_if(end.findings.begin(), end.findings.end(),
                                    [](const SimulatorFinding& one) { return !one.defect; });
  std::string text = "no race, no access out of bounds, nothing uninitialised";
  if (wasted > 0) {
    text += "; wasted work in " + std::to_string(wasted) + (wasted == 1 ? " place" : " places");
  }
  return text + (end.left_out.empty() ? "" : "; a sample: " + end.left_out);
}

}  // namespace warpmind::profilers
