#pragma once
/// \file
/// The buffers of one family at one size, on the GPU.

#include "profilers/worker/cuda_handles.h"
#include "tests/bench/validation/buffer_data.h"
#include "tests/bench/validation/point_table.h"

#include <vector>

namespace warpmind::validation {

class GpuBuffers {
 public:
  /// Allocates and fills the buffers of `point`.
  [[nodiscard]] static Result<GpuBuffers> create(const Point& point);

  /// Whether `point` uses just these: the same family and size.
  [[nodiscard]] bool fit(const Point& point) const;
  [[nodiscard]] std::vector<void*> addresses() const;
  /// Zeroes the outputs, which kernels may add to.
  [[nodiscard]] Result<void> clear_outputs(cudaStream_t stream) const;
  /// Over all output buffers.
  [[nodiscard]] Result<Checksum> checksum() const;

 private:
  std::vector<Buffer> buffers_;
  std::string family_;
  std::vector<profilers::UniqueDeviceMemory> memory_;
};

}  // namespace warpmind::validation
