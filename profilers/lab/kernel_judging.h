#pragma once
/// \file
/// One judging from the first stage to the verdict.

#include "base/result.h"
#include "profilers/kernel_lab.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/timing.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

/// Serves one call of the lab. Stages run in order and the first failure ends it.
class KernelJudging {
 public:
  /// References outlive the judging.
  KernelJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop);

  [[nodiscard]] Result<Verdict> judge();
  /// Errors: unavailable without device; external_failure when a kernel fails though it was judged
  /// correct before.
  [[nodiscard]] Result<Comparison> compare();

 private:
  /// True = go on; false = the verdict stands.
  using Continue = Result<bool>;

  Continue check_source();
  Continue build();
  Continue find_device();
  Continue start_judge();
  Continue run_oracles();
  Continue time_baseline();
  Continue screen_candidate();
  Continue profile();
  Continue promote();

  Continue run_oracle_stage(Stage stage, WorkerSession& runner, const BuiltKernel& candidate,
                            std::vector<const Workload*> workloads, std::int64_t seeds);
  Result<BuiltKernel> build_incumbent();
  [[nodiscard]] std::optional<std::string> find_missing_kernel() const;
  [[nodiscard]] TimingOrder timing_order() const;
  [[nodiscard]] const Workload& primary() const;
  void set_measurement(const std::vector<TimingSample>& samples);
  bool pass(Stage stage, std::string detail);
  bool stop_with(Stage stage, StageFailure failure);

  LabParts& parts_;
  const JudgeOrder& order_;
  std::stop_token stop_;
  Verdict verdict_;
  std::chrono::steady_clock::time_point stage_start_;
  BuiltKernel candidate_;
  std::optional<BuiltKernel> incumbent_;
  DeviceSpec spec_;
  std::optional<DeviceIdentity> identity_;
  std::optional<Judging> judging_;
  std::optional<double> plan_time_ns_;  ///< best estimate so far, for the profile
  bool promising_ = false;
};

}  // namespace warpmind::profilers
