#pragma once
/// \file
/// Kernels to PTX and to ptxas' figures, for tests that compare rewrites.

#include "base/model/kernel.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/toolchain/compilers.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::rewrites {

/// Threads: any; processes: any. Builds are kept by content in a folder that tests share, so that
/// the second run of a test costs no compiler.
class KernelBuilder {
 public:
  /// `architecture` as nvcc spells the virtual one: "compute_90", "compute_90a".
  /// Errors: unavailable without nvcc.
  [[nodiscard]] static Result<KernelBuilder> create(std::string architecture = "compute_90");

  /// Errors: invalid_argument with the first complaint of the compiler, or a refused build flag.
  [[nodiscard]] Result<std::string> ptx(const Kernel& kernel) const;
  /// One entry a `__global__` function, from ptxas on ptx(). Errors: as ptx().
  [[nodiscard]] Result<std::vector<KernelResources>> resources(const Kernel& kernel) const;

 private:
  KernelBuilder(std::string architecture, profilers::Compiler nvcc, std::filesystem::path cache);

  /// With an a where the kernel asks for it.
  [[nodiscard]] Result<std::string> architecture_for(const Kernel& kernel) const;

  std::string architecture_;
  profilers::Compiler nvcc_;
  std::filesystem::path cache_;
};

}  // namespace warpmind::rewrites
