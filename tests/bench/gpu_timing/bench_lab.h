#pragma once
/// \file
/// The lab's timing without its stages: sandboxed runners, judged outputs, the confirmation rule.

#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/timing.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::bench {

struct BenchOptions {
  std::string simulated;       ///< device to predict for, on the simulator; empty = the GPU
  std::int64_t pairs = 3;      ///< confirmations of each pair of kernels
  std::string which = "all";   ///< aa, known, clocks, flush or all
  std::int64_t processes = 7;  ///< behind a confirmation
  std::int64_t quads = 10;
  double block_ms = 2;

  [[nodiscard]] bool is_simulated() const { return !simulated.empty(); }
};

/// One run of one kernel, timed or profiled outside of any comparison.
struct SingleRun {
  const Task& task;
  const Workload& workload;
  const Kernel& kernel;
};

/// Not thread-safe. Every call takes fresh runners.
class BenchLab {
 public:
  /// Errors: unavailable without GPU (or simulator), compiler, worker or judge.
  [[nodiscard]] static Result<std::unique_ptr<BenchLab>> open(const config::Settings& settings,
                                                              const BenchOptions& options);

  /// The rule behind every `improved`, on the timed workloads of `task`. Errors: a session that
  /// stays void, a kernel that fails, what the machine lacks.
  [[nodiscard]] Result<profilers::Confirmation> confirm(const Task& task, const Kernel& candidate,
                                                        const Kernel& incumbent);

  /// `most_ms`: of all quads (RunnerJob).
  [[nodiscard]] Result<profilers::RunnerReport> time(const SingleRun& run, bool hot = false,
                                                     double most_ms = 1000);
  /// `counters_refused` in the report where they cannot be read.
  [[nodiscard]] Result<profilers::RunnerReport> profile(const SingleRun& run);

  [[nodiscard]] const DeviceIdentity& device() const { return identity_; }

 private:
  BenchLab(std::unique_ptr<profilers::Sandbox> sandbox, BenchOptions options);

  Result<profilers::BuiltKernel> build(const Kernel& kernel);
  Result<profilers::Judging> judging_of(const Task& task);
  Result<profilers::RunnerReport> run(const SingleRun& run, profilers::RunnerJob job);

  BenchOptions options_;
  std::unique_ptr<profilers::Sandbox> sandbox_;
  config::Settings settings_;
  std::unique_ptr<profilers::LabParts> parts_;
  std::optional<profilers::RunnerPool> simulated_;  ///< in place of the parts' own
  profilers::RunnerPool* pool_ = nullptr;
  DeviceIdentity identity_;
  DeviceSpec spec_;
};

}  // namespace warpmind::bench
