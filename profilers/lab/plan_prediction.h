#pragma once
/// \file
/// Predicted time of a launch plan: simulated counts, SASS of the same kernels, the time model.

#include "base/model/measurement.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/simulation.h"
#include "profilers/lab/timing.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::profilers {

/// Version of the simulator and its model: predictions of two versions are not compared.
inline constexpr const char* kSimulatorVersion = "sim-2";

/// One plan on one workload.
struct PlanPrediction {
  std::string workload;
  double time_ns = 0;
  std::string bound;               ///< of the launch that takes longest
  std::string confidence;          ///< the lowest of the launches that matter
  double thread_instructions = 0;  ///< PTX, of the whole grids
  bool sampled = false;            ///< not every block was simulated
  std::size_t launches = 0;
  bool orders_blocks = false;  ///< atomics in global memory: a part of the blocks says nothing
  std::vector<KernelProfile> kernels;
  std::vector<LineProfile> lines;
};

/// By prediction_key(): an incumbent is predicted once.
using PredictionCache = std::map<std::string, PlanPrediction>;

/// A hash of all that a prediction depends on: text, plan and flags of the kernel; arguments,
/// contract and reference of the task; sizes of the workload and the seed of its inputs; the device
/// with its time model, the toolkit and the simulator.
[[nodiscard]] std::string prediction_key(const Judging& judging, const Kernel& kernel,
                                         const Workload& workload, const std::string& toolkit);

/// Wall time that the prediction of one plan may take.
[[nodiscard]] double prediction_seconds(const config::LabSettings& settings);

/// Ratio of two predictions of the same workloads (geometric mean) with the interval of the worst
/// confidence, none where that is low, and what it means.
[[nodiscard]] Decision compare_predictions(const std::vector<PlanPrediction>& candidate,
                                           const std::vector<PlanPrediction>& incumbent);

/// Takes a fresh runner of mode `profile` with the kernel in bin/candidate, simulates the plan on
/// `workload` and predicts. A kernel that cannot be simulated is a StageFailure. Errors: ours only.
[[nodiscard]] Result<StageEnd<PlanPrediction>> predict_plan(Judging& judging, WorkerSession& runner,
                                                            const BuiltKernel& kernel,
                                                            const BuildReport& build,
                                                            const Workload& workload);

}  // namespace warpmind::profilers
