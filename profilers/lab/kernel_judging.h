#pragma once
/// \file
/// One judging on a GPU, from the first stage to the verdict.

#include "base/result.h"
#include "profilers/lab/library_trials.h"
#include "profilers/lab/staged_judging.h"
#include "profilers/lab/timing.h"

#include <future>
#include <optional>
#include <stop_token>
#include <vector>

namespace warpmind::profilers {

/// Serves one call of the lab. Stages run in the order of judge() and the first failure ends
/// it.
class KernelJudging : private StagedJudging {
 public:
  /// References outlive the judging.
  KernelJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop);

  [[nodiscard]] Result<Verdict> judge();
  /// As KernelLab::machine_code; empty without device.
  [[nodiscard]] Result<std::string> machine_code();
  /// Errors: unavailable without device; external_failure when a kernel fails though it was judged
  /// correct before.
  [[nodiscard]] Result<Comparison> compare();

 private:
  Continue find_device();
  Continue simulate();
  Continue run_oracles();
  Continue run_hidden();
  Continue time_baseline();
  Continue time_library();
  Continue screen_candidate();
  Continue sanitize();
  Continue profile();
  Continue promote();

  [[nodiscard]] TimingOrder timing_order() const;
  /// Of the given kernel, for tasks of class reduction.
  [[nodiscard]] double baseline_error() const;
  /// The order's kernel is a library call of ours: built, judged and timed.
  Result<LibraryTime> time_call(const LinkedLibraries& libraries);
  /// Kept, or, where `may_measure`, timed now, which takes a minute or two at most. Empty where
  /// nobody looked yet. Errors: cancelled.
  Result<BestLibrary> best_library(bool may_measure);
  /// Judges and times them. Errors: cancelled.
  Result<LibraryTrials> try_calls(const std::vector<LibraryTrial>& trials);
  [[nodiscard]] std::string left_out_of_timing(const std::vector<TimingSample>& samples,
                                               double process_seconds) const;
  Result<void> set_measurement(const std::vector<TimingSample>& samples);
  /// What limits are made of; `may_measure`: some seconds, once a device.
  Result<void> find_floors(bool may_measure);
  /// A runner from the pool, with the next one on its way.
  Result<WorkerSession> take_runner();
  Result<WorkerSession> take_candidate_runner();

  std::optional<double> plan_time_ns_;  ///< best estimate so far, for the profile
  std::string library_detail_;          ///< what became of the library calls that were tried
  bool promising_ = false;
  bool bounds_checked_ = false;  ///< by the simulator, on the smallest workload
  /// The given kernel's, where it is the reference: it starts while nvcc runs.
  std::future<Result<WorkerSession>> given_runner_;
};

}  // namespace warpmind::profilers
