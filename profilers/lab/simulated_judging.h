#pragma once
/// \file
/// One judging in the simulator: the same stages, verified results, predicted times.

#include "base/result.h"
#include "profilers/lab/plan_prediction.h"
#include "profilers/lab/staged_judging.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Serves one call of the lab. Needs LabParts::simulator.
class SimulatedJudging : private StagedJudging {
 public:
  /// References outlive the judging. `identity` names the device that is predicted for.
  SimulatedJudging(LabParts& parts, const JudgeOrder& order, DeviceIdentity identity,
                   PredictionCache& predictions, std::stop_token stop);

  [[nodiscard]] Result<Verdict> judge();
  using StagedJudging::digest_candidate;
  /// Errors: as KernelJudging::compare().
  [[nodiscard]] Result<Comparison> compare();

 private:
  /// Whether the smallest workload is beyond what is run as a whole: then samples of its blocks are
  /// judged.
  Continue choose_extent();
  Continue verify();
  Continue check_results();
  Continue check_sampled_results();
  Continue check_hidden();
  Continue predict();
  /// Element by element: all of a workload, or what a sample of its blocks computes.
  Continue check_timed_results();
  Continue check_timed_whole(const Workload& workload);
  Continue check_timed_part(const Workload& workload, const PlanPrediction& prediction);
  Continue decide();

  /// Wall time that a run in this mode has at least.
  [[nodiscard]] double seconds_for(SimulationMode mode) const;
  /// A fresh runner with the candidate's binary.
  Result<WorkerSession> start_runner(SimulationMode mode, const BuiltKernel& kernel);
  /// Every timed workload, in the order of the task.
  Result<StageEnd<std::vector<PlanPrediction>>> predict_all(const BuiltKernel& kernel,
                                                            const BuildReport& build);
  void set_measurement(const Limit& limit_known);
  /// Why a sample of the blocks cannot be compared; nullopt = it can.
  [[nodiscard]] std::optional<std::string> part_obstacle(const PlanPrediction& prediction) const;
  /// Whether the given kernel, which is the reference, takes too long for one whole run.
  [[nodiscard]] bool is_given_too_long(const Workload& workload) const;
  void note_unchecked(const std::string& what);
  bool refuse_timed(StageFailure failure);

  PredictionCache& cache_;
  bool is_sampled_ = false;   ///< the smallest workload, by choose_extent()
  bool large_cases_ = false;  ///< the timed workloads are checked: they get their time
  std::vector<PlanPrediction> predictions_;
};

}  // namespace warpmind::profilers
