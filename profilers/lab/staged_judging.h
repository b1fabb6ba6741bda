#pragma once
/// \file
/// What every judging does alike, whoever runs the kernel: source rules, build, oracles.

#include "base/limit.h"
#include "base/result.h"
#include "profilers/kernel_lab.h"
#include "profilers/lab/effort_plan.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/oracle.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// State and stages shared by KernelJudging (a GPU) and SimulatedJudging. Serves one call.
class StagedJudging {
 protected:
  /// References outlive the judging.
  StagedJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop);
  ~StagedJudging() = default;

  /// True = go on; false = the verdict stands.
  using Continue = Result<bool>;

  Continue check_source();
  Continue build();
  /// Of a library call: ours, linked to what it calls.
  Continue build_call(const LinkedLibraries& libraries);
  /// KernelLab::machine_code for spec_. Tells who waits that it builds.
  Result<std::string> digest_candidate();
  /// Without identity_ the verdict is `blocked`. A task without reference is judged by its given
  /// kernel, whose runner start_given_ starts.
  Continue start_judge();
  Continue run_tiny_oracle(WorkerSession& runner);
  /// And the relations between runs, as far as the effort goes.
  Continue run_full_oracle(WorkerSession& runner, std::vector<const Workload*> workloads);
  /// In a runner of its own, with the candidate in bin/candidate.
  using StartRunner = std::function<Result<WorkerSession>()>;
  Continue run_hidden_stage(const StartRunner& start);
  Result<BuiltKernel> build_incumbent();
  [[nodiscard]] const Workload& primary() const;
  /// Of the task on primary(): one for every kernel that is judged.
  Result<Limit> limit();
  /// Tells who waits; each stage calls it before it works.
  void begin(Stage stage) const;
  bool pass(Stage stage, std::string detail);
  bool stop_with(Stage stage, StageFailure failure);
  /// The detail of a stage, behind what its time did not allow (empty = nothing).
  std::string after_left_out(const std::string& left_out, const std::string& detail);
  /// The kernel that is judged is the given one, and nothing else says what is right.
  [[nodiscard]] bool judges_own_reference() const;

  LabParts& parts_;
  const JudgeOrder& order_;
  std::stop_token stop_;
  EffortPlan plan_;
  bool left_something_out_ = false;  ///< after_left_out() had something to say
  Verdict verdict_;
  std::chrono::steady_clock::time_point stage_start_;
  DeviceUse::Duration waited_{};  ///< for the device, until the stage began
  BuiltKernel candidate_;
  std::optional<BuiltKernel> incumbent_;
  BuildReport incumbent_build_;
  DeviceSpec spec_;
  std::optional<DeviceIdentity> identity_;
  const DeviceFloors* floors_ = nullptr;  ///< of the device; null = the table's figures
  std::optional<Judging> judging_;
  GivenKernel::StartRunner start_given_;

 private:
  /// Since the last stage ended, without what was waited for others on the device.
  [[nodiscard]] double end_of_stage();
  [[nodiscard]] std::optional<std::string> find_missing_kernel() const;
  /// `failure`, unless made-up integers may be what led to it.
  [[nodiscard]] StageFailure without_accusation(StageFailure failure) const;
  Result<std::unique_ptr<GivenKernel>> build_given();
  Result<const CountedWork*> given_work();
  [[nodiscard]] Result<std::optional<std::string>> find_new_spills();
  [[nodiscard]] Result<OracleEnd> check_runs_among_themselves(WorkerSession& runner);
  [[nodiscard]] static std::string describe_oracle(const Correctness& correctness);
};

}  // namespace warpmind::profilers
