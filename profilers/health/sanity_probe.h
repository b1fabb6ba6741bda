#pragma once
/// \file
/// A kernel whose answer is known, in a fresh runner: says whether a device still computes.

#include "base/result.h"
#include "profilers/health/device_health.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/worker_session.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

/// Builds the probe's kernel for "sm_90" and the like. Errors: as KernelToolchain::build_kernel.
using ProbeBuilder = std::function<Result<std::filesystem::path>(
    const std::string& source, const std::string& architecture, const std::stop_token& stop)>;

struct ProbeSettings {
  std::int64_t bytes = std::int64_t{256} * 1024 * 1024;  ///< of the pattern
  double start_s = 60;  ///< a driver that initialises all GPUs of a large machine
  double run_s = 10;
  bool timed = true;  ///< false: the answer alone, for devices that have no clock
};

/// Doubles a pattern of floats in device memory, looks at every element, times the kernel.
class SanityProbe {
 public:
  /// `sandbox` must outlive the probe.
  SanityProbe(const Sandbox& sandbox, RunnerPlace place, ProbeBuilder build,
              ProbeSettings settings = {});

  /// What the device made of it. Errors: cancelled; external_failure when our own files fail.
  [[nodiscard]] Result<ProbeReport> probe_device(const std::stop_token& stop) const;

 private:
  const Sandbox* sandbox_;
  RunnerPlace place_;
  ProbeBuilder build_;
  ProbeSettings settings_;
};

}  // namespace warpmind::profilers
