#pragma once
/// \file
/// A loaded cubin. The runtime has functions for it from CUDA 12.8 on; before that the driver's are
/// called, which have the same parameters and handles.

#include "profilers/worker/cuda_handles.h"

#include <memory>
#include <string>

namespace warpmind::profilers {

class CubinLibrary {
 public:
  /// Errors: external_failure with CUDA's words; unavailable when neither runtime nor driver has
  /// the functions.
  [[nodiscard]] static Result<CubinLibrary> load(const std::string& image, std::string_view name);

  /// Handle for cudaLaunchKernel(); valid as long as this. nullptr when there is no such kernel.
  [[nodiscard]] const void* kernel(const std::string& name) const;

 private:
  struct Unload {
    void operator()(void* library) const noexcept;
  };
  explicit CubinLibrary(void* library) : library_(library) {}

  std::unique_ptr<void, Unload> library_;
};

}  // namespace warpmind::profilers
