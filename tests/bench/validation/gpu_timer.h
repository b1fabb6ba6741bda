#pragma once
/// \file
/// Times single launches from a cold L2 cache, and back-to-back launches from a warm one.

#include "profilers/worker/cuda_handles.h"
#include "tests/bench/validation/gpu_library.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace warpmind::validation {

/// Microseconds.
struct Timing {
  double median_us = 0;
  double p10_us = 0;
  double p90_us = 0;
  int runs = 0;
  double back_to_back_us = 0;  ///< mean of launches in a row, without a flush: launch gaps count
  int back_to_back_runs = 0;
};

class GpuTimer {
 public:
  using Launch = std::function<Result<void>()>;

  /// Takes flush.cubin from `cubins` and a buffer of four times the L2 cache.
  [[nodiscard]] static Result<GpuTimer> create(const std::filesystem::path& cubins, int l2_bytes,
                                               cudaStream_t stream);

  /// Warms up, then times. `launch` enqueues one launch on the stream.
  [[nodiscard]] Result<Timing> time(const Launch& launch);
  /// Median of two events with nothing between them.
  [[nodiscard]] double empty_us() const { return empty_us_; }

 private:
  Result<void> flush() const;
  Result<std::vector<double>> cold_runs(int runs, const Launch& launch);
  Result<double> run_of(int launches, const Launch& launch);

  cudaStream_t stream_ = nullptr;
  UniqueLibrary library_;
  const void* flush_kernel_ = nullptr;
  profilers::UniqueDeviceMemory buffer_;
  int words_ = 0;
  std::vector<profilers::UniqueEvent> starts_;
  std::vector<profilers::UniqueEvent> stops_;
  double empty_us_ = 0;
};

}  // namespace warpmind::validation
