#pragma once
/// \file
/// What a WorkerKernelLab is made of, and where its programs are.

#include "base/limit.h"
#include "base/model/best_library.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/admission/task_admissions.h"
#include "profilers/health/device_health.h"
#include "profilers/lab/scratch_root.h"
#include "profilers/lab/session_validity.h"
#include "profilers/lab_share.h"
#include "profilers/runner_pool.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/toolchain/kernel_toolchain.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::profilers {

/// This device's A/A noise as a log ratio: root mean square of what baselines alone showed.
class NoiseRecord {
 public:
  void add(double log_ratio) {
    squares_ += log_ratio * log_ratio;
    ++count_;
  }
  [[nodiscard]] double value() const;

 private:
  double squares_ = 0;
  std::int64_t count_ = 0;
};

/// What limits of a device are made of (device_floors.h).
struct FloorRecord {
  std::string device;  ///< uuid and driver; empty = nobody asked yet
  std::optional<DeviceFloors> floors;
  bool tried = false;  ///< they were measured, or could not be
};

/// In the order of construction; the pool goes first, so that no runner outlives its scratch root.
struct LabParts {
  config::Settings settings;
  config::DeviceTable devices;
  DeviceSpec target;  ///< built for when no GPU is present
  const Sandbox& sandbox;
  ScratchRoot scratch;
  KernelToolchain toolchain;
  std::filesystem::path judge_program;
  NoiseRecord noise;
  /// How runners on the simulator are started, or why there are none.
  Result<RunnerPlace> simulator;
  std::shared_ptr<DeviceHealth> health;  ///< of the pool's device
  RunnerPool pool;
  TaskAdmissions admissions = {};
  DeviceProcesses processes = {};  ///< of the pool's device; empty until it is known
  double stage_seconds = 12;       ///< on a GPU: that a stage may spend on one large workload
  FloorRecord floors = {};         ///< of the pool's device
  /// By task, workload and architecture (given_work.h).
  std::map<std::string, CountedWork> given_work = {};
  /// By key_of() (profilers/baseline/kept_best_library.h).
  std::map<std::string, BestLibrary> best_libraries = {};
};

[[nodiscard]] Result<std::unique_ptr<Sandbox>> make_sandbox(const config::Settings& settings);

/// Everything of a lab but its judgings, built for `target`. `sandbox` must outlive it. Errors:
/// unavailable when the worker, the judge or a compiler is missing.
[[nodiscard]] Result<std::unique_ptr<LabParts>> make_lab_parts(const config::Settings& settings,
                                                               const config::DeviceTable& devices,
                                                               const DeviceSpec& target,
                                                               const Sandbox& sandbox,
                                                               const LabShare& share = {});

}  // namespace warpmind::profilers
