#include "profilers/lab/verification.h"

#include "profilers/lab/oracle.h"
#include "profilers/lab/run_case.h"

#include <algorithm>
#include <string>
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

/// Fills in what the simulator says about the launches of `runner`. Its words say more than the
/// CUDA error or the wrong element that they led to.
void explain(const WorkerSession& runner, VerificationEnd& end) {
  const auto launches = read_simulation(runner);
  if (!launches) {
    end.failure = StageFailure{Outcome::crashed, launches.error().message};
    return;
  }
  end.findings = findings_of(*launches);
  end.defect = defect_of(end.findings);
  if (auto stopped = stop_of(*launches)) end.failure = std::move(stopped);
  if (end.failure && end.failure->outcome == Outcome::wrong) {
    const std::string late = describe_late_reads(*launches);
    end.failure->reason += late;
    end.reads_late = !late.empty();
  }
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

Result<VerificationEnd> verify_simulated(Judging& judging, const BuiltKernel& kernel,
                                         const VerificationOrder& order) {
  VerificationEnd end;
  for (const SimulationMode mode : {SimulationMode::verify, SimulationMode::verify_reversed}) {
    WARPMIND_TRY(auto runner, start_simulated(judging.sandbox,
                                              place_for(order.simulator, mode, order.device,
                                                        judging.settings.case_timeout_s),
                                              kernel));
    WARPMIND_TRY(auto oracle,
                 run_oracle(judging, runner, kernel, {order.workloads, 1, order.baseline_error}));
    end.failure = std::move(oracle.failure);
    if (mode == SimulationMode::verify) {
      explain(runner, end);
    } else if (end.failure) {
      end.failure->reason += " (with blocks and warps in reverse order)";
    }
    runner.finish();
    if (end.defect || end.failure) break;
    // The repetition was in reverse order, and bit-equal.
    if (judging.task.contract.deterministic) break;
  }
  return end;
}

std::string describe_verified(const std::vector<SimulatorFinding>& findings) {
  const auto wasted = std::count_if(findings.begin(), findings.end(),
                                    [](const SimulatorFinding& one) { return !one.defect; });
  std::string text = "no race, no access out of bounds, nothing uninitialised";
  if (wasted > 0) {
    text += "; wasted work in " + std::to_string(wasted) + (wasted == 1 ? " place" : " places");
  }
  return text;
}

}  // namespace warpmind::profilers
