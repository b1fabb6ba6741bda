#pragma once
/// \file
/// What lives as long as the runner: device, stream, fill patterns, loaded binaries, allocations.

#include "base/model/device.h"
#include "base/result.h"
#include "profilers/job/runner_job.h"
#include "profilers/worker/case_memory.h"
#include "profilers/worker/cuda_handles.h"
#include "profilers/worker/kernel_program.h"
#include "profilers/worker/nvml.h"

#include <map>
#include <memory>
#include <string>

namespace warpmind::profilers {

struct RunnerOptions {
  int device = 0;
  /// The runtime is a simulator: event times are predictions, unrelated to the wall clock.
  bool simulated = false;
};

/// One CUDA context and what was loaded into it. Single-threaded.
class RunnerSession {
 public:
  /// Creates the context. Errors: unavailable with CUDA's words and the way out.
  [[nodiscard]] static Result<std::unique_ptr<RunnerSession>> start(const RunnerOptions& options);

  /// Loads a binary once; later calls return the same one.
  [[nodiscard]] Result<LoadedBinary*> binary_of(const Program& program);

  [[nodiscard]] const DeviceIdentity& device() const { return device_; }
  [[nodiscard]] const RunnerOptions& options() const { return options_; }
  [[nodiscard]] const FillPatterns& patterns() const { return patterns_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] const Nvml* nvml() const { return nvml_.get(); }

  /// Memory whose allocations are kept from case to case.
  [[nodiscard]] CaseMemory& memory() { return memory_; }

 private:
  RunnerSession(RunnerOptions options, DeviceIdentity device, std::unique_ptr<Nvml> nvml,
                UniqueStream stream, FillPatterns patterns);

  RunnerOptions options_;
  DeviceIdentity device_;
  std::unique_ptr<Nvml> nvml_;
  UniqueStream stream_;
  FillPatterns patterns_;
  CaseMemory memory_;
  std::map<std::string, std::unique_ptr<LoadedBinary>> binaries_;
};

/// Writes a whole file; creates its directory. Errors: external_failure, unavailable (disk full).
[[nodiscard]] Result<void> dump(const std::string& path, const std::vector<std::byte>& content);

}  // namespace warpmind::profilers
