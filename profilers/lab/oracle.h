#pragma once
/// \file
/// Stages tiny_oracle and full_oracle: is every output element right?

#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/lab/judging.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct OracleOrder {
  std::vector<const Workload*> workloads;
  std::int64_t seeds = 6;
  double baseline_error = 0;  ///< reduction class; 0 = this is the baseline
  double case_seconds = 0;    ///< that a case may take, if more than lab.case_timeout_s
  std::int64_t runs = 2;      ///< of a case, all bit-equal where the contract says so
  /// That a large workload may take in all; its first case is looked at in any case. 0 = no limit.
  double workload_seconds = 0;
  /// Of workloads that are not timed; the timed ones, large, see uneven rows first.
  InputChoice inputs = InputChoice::dealt;
  /// Only some blocks run, and what they wrote is compared: the simulator on a large workload.
  std::optional<BlockSample> blocks = std::nullopt;
};

struct OracleEnd {
  Correctness correctness;              ///< of all workloads up to the first failure
  std::optional<StageFailure> failure;  ///< wrong, crashed, timed_out or build_failed (the plan)
  /// What workload_seconds did not allow: "4 of 6 inputs of 'large', one takes 5.2 s", or empty.
  std::string left_out = {};
  std::string worst_place = {};  ///< as in JudgeReply
};

/// Workload by workload: the judge writes inputs, the runner computes while the judge computes the
/// reference, the judge compares. Errors: ours only.
[[nodiscard]] Result<OracleEnd> run_oracle(Judging& judging, WorkerSession& runner,
                                           const BuiltKernel& candidate, const OracleOrder& order);

/// How the runner shall run prepared cases.
struct CaseRuns {
  std::int64_t runs = 1;  ///< of a case, all bit-equal; 1 = not repeated
  double case_seconds = 0;
  std::optional<BlockSample> blocks = std::nullopt;
};

/// Runs `cases` of `workload` and looks at what the runner left; their outputs then wait for the
/// judge. Errors: ours only.
[[nodiscard]] Result<std::optional<StageFailure>> run_cases(Judging& judging, WorkerSession& runner,
                                                            const BuiltKernel& candidate,
                                                            const Workload& workload,
                                                            const std::vector<PreparedCase>& cases,
                                                            const CaseRuns& how);

/// Adds the counts and keeps the worst.
void merge(Correctness& all, const Correctness& one);

/// Draws of a workload before the given kernel cannot tell right from wrong there: of a task of
/// which a third of the inputs say nothing one in 6000 kernels meets no other.
inline constexpr int kMostDraws = 8;

/// Cases of the workload say nothing, however often they are drawn anew.
[[nodiscard]] StageFailure silent_failure(const Workload& workload);

/// What a case status other than ok means for the verdict.
[[nodiscard]] StageFailure failure_of(const CaseReport& report);

}  // namespace warpmind::profilers
