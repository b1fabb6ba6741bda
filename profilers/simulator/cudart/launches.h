#pragma once
/// \file
/// From a call of the CUDA runtime to a run of the simulator.

#include "profilers/simulator/cudart/runtime.h"

#include <cstddef>
#include <memory>
#include <string>

namespace warpmind::simulator {

/// A kernel that can be asked about: its module is compiled.
struct ReadyKernel {
  std::shared_ptr<const CompiledModule> module;
  const Program* program = nullptr;  ///< in `module`
  KernelHandle* handle = nullptr;
  std::string problem;  ///< why there is none, where more is known than CUDA's code
};

/// `any`: a host function, a cudaKernel_t or a cudaFunction_t. A code instead of `out` when there
/// is no such kernel, or its module cannot be compiled, which is said on stderr.
[[nodiscard]] cudaError_t find_kernel(Runtime& runtime, const void* any, ReadyKernel& out);

struct KernelCall {
  const void* kernel = nullptr;
  cudaLaunchConfig_t config{};  ///< its attributes are not looked at
  void** arguments = nullptr;   ///< a pointer to each parameter's value
  bool cooperative = false;
};

/// Checks the configuration and submits the launch. What the kernel does wrong is known when it
/// has run: Runtime::fault().
[[nodiscard]] cudaError_t launch_kernel(Runtime& runtime, const KernelCall& call);

}  // namespace warpmind::simulator
