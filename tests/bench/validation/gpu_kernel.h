#pragma once
/// \file
/// A cubin's kernel, bound to a point's arguments and ready to launch.

#include "profilers/worker/cuda_handles.h"
#include "tests/bench/validation/gpu_library.h"
#include "tests/bench/validation/point_table.h"

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::validation {

/// What the driver says of a kernel as loaded.
struct KernelFacts {
  int registers = 0;  ///< a thread
  int static_shared_bytes = 0;
  int local_bytes = 0;    ///< a thread
  int blocks_per_sm = 0;  ///< by the driver's occupancy calculator
};

class GpuKernel {
 public:
  /// `addresses` are the point's buffers, in their order.
  [[nodiscard]] static Result<GpuKernel> load(const std::filesystem::path& cubins,
                                              const Point& point,
                                              const std::vector<void*>& addresses);

  [[nodiscard]] Result<void> launch(cudaStream_t stream) const;
  [[nodiscard]] const KernelFacts& facts() const { return facts_; }

 private:
  Result<void> bind(const Point& point, const std::vector<void*>& addresses);
  Result<void> read_facts(const Point& point);

  UniqueLibrary library_;
  const void* kernel_ = nullptr;
  dim3 grid_;
  dim3 block_;
  std::uint32_t shared_bytes_ = 0;
  std::deque<std::string> storage_;  ///< a deque: `arguments_` points into it
  std::vector<void*> arguments_;
  KernelFacts facts_;
};

}  // namespace warpmind::validation
