#pragma once
/// \file
/// Stage simulation: the kernel's own PTX under every check of the simulator.

#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/simulation.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct VerificationOrder {
  const RunnerPlace& simulator;
  std::string device;  ///< key of the table that the simulator counts for
  std::vector<const Workload*> workloads;
  double baseline_error = 0;
};

struct VerificationEnd {
  std::vector<SimulatorFinding> findings;  ///< defects first
  std::optional<StageFailure> defect;      ///< what the checks found
  std::optional<StageFailure> failure;     ///< anything else: wrong, cannot be simulated …
  bool reads_late = false;                 ///< `failure`: wrong where a read met an older value
};

/// Runs each workload once with every check, then once with warps and blocks in reverse order: the
/// same bits where the contract is deterministic, else within the tolerance. Errors: ours only.
[[nodiscard]] Result<VerificationEnd> verify_simulated(Judging& judging, const BuiltKernel& kernel,
                                                       const VerificationOrder& order);

/// One line for a stage report.
[[nodiscard]] std::string describe_verified(const std::vector<SimulatorFinding>& findings);

/// The workloads that are not timed, or the smallest one when all are.
[[nodiscard]] std::vector<const Workload*> small_workloads(const Task& task);

/// A fresh runner on the simulator with the kernel in bin/candidate.
[[nodiscard]] Result<WorkerSession> start_simulated(const Sandbox& sandbox,
                                                    const RunnerPlace& place,
                                                    const BuiltKernel& kernel);

}  // namespace warpmind::profilers
