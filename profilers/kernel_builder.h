#pragma once
/// \file
/// Builds kernels and reads what the compiler says of them; runs nothing.

#include "base/model/device.h"
#include "base/model/kernel_analysis.h"
#include "base/model/profile.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "config/settings.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

/// The compiler in its sandbox, without workers and judges.
/// Threads: any; builds go on beside each other.
class KernelBuilder {
 public:
  /// Errors: unavailable without nvcc, host compiler or sandbox.
  [[nodiscard]] static Result<std::unique_ptr<KernelBuilder>> create(
      const config::Settings& settings);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  /// Source that does not compile is a value. Errors: cancelled; external_failure for ours.
  [[nodiscard]] Result<BuildReport> build(const Kernel& kernel, const DeviceSpec& device,
                                          const std::stop_token& stop) const;

 private:
  struct Parts;
  explicit KernelBuilder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Tier T0 of the launches of a task's kernel on its primary workload, which it must have.
[[nodiscard]] Profile planned_profile(const Task& task, const BuildReport& build,
                                      const DeviceSpec& device);

/// One function in blocks of `threads`, with `dynamic_shared_bytes` given at the launch.
[[nodiscard]] KernelFit fit_of(const KernelResources& resources, std::int64_t threads,
                               std::int64_t dynamic_shared_bytes, const DeviceSpec& device);

}  // namespace warpmind::profilers
