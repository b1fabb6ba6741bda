#pragma once
/// \file
/// Stage simulation: the kernel's own PTX under every check of the simulator.

#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/simulation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct VerificationOrder {
  const RunnerPlace& simulator;
  std::string device;  ///< key of the table that the simulator counts for
  std::vector<const Workload*> workloads;
  double baseline_error = 0;
  /// Of warps, that all launches of a case may take: beyond it a drawn sample of blocks runs.
  /// 0 = all blocks run.
  std::uint64_t instructions = 0;
  /// Results are looked at elsewhere: a case is only run.
  bool only_run = false;
};

/// What VerificationOrder::instructions may be where the checks shall take seconds.
inline constexpr std::uint64_t kSampledInstructions = std::uint64_t{1} << 23U;

struct VerificationEnd {
  std::vector<SimulatorFinding> findings;  ///< defects first
  std::optional<StageFailure> defect;      ///< what the checks found
  std::optional<StageFailure> failure;     ///< anything else: wrong, cannot be simulated …
  /// `failure` holds for every GPU: wrong where a read met an older value, or a grid that waits for
  /// itself, whole.
  bool is_certain = false;
  std::string left_out;  ///< "of n blocks of k, m ran", or empty: all of them did
};

/// Runs each workload once with every check, then once with warps and blocks in reverse order: the
/// same bits where the contract is deterministic, else within the tolerance; and a kernel that may
/// wait in loops once more, in a drawn order of blocks. Errors: ours only.
[[nodiscard]] Result<VerificationEnd> verify_simulated(Judging& judging, const BuiltKernel& kernel,
                                                       const VerificationOrder& order);

/// One line for a stage report.
[[nodiscard]] std::string describe_verified(const VerificationEnd& end);

/// Decides which blocks a sample takes. Errors: external_failure.
[[nodiscard]] Result<std::uint64_t> draw_block_seed();

/// The workloads that are not timed, or the smallest one when all are.
[[nodiscard]] std::vector<const Workload*> small_workloads(const Task& task);

/// A fresh runner on the simulator with the kernel in bin/candidate.
[[nodiscard]] Result<WorkerSession> start_simulated(const Sandbox& sandbox,
                                                    const RunnerPlace& place,
                                                    const BuiltKernel& kernel);

}  // namespace warpmind::profilers
