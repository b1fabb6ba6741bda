/// \file
/// Launches, the call configuration of <<<>>>, and what nvcc's code registers before main().

#include "profilers/simulator/cudart/launches.h"

#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

/// cudaLaunchAttributePreferredSharedMemoryCarveout, which CUDA 12.4 does not name.
constexpr int kPreferredSharedMemoryCarveout = 14;

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

/// Registration happens before main() and, for libraries, at any time beside running threads.
template <class Use>
void with_modules(Use&& use) {
  Process& here = process();
  Runtime* runtime = nullptr;
  {
    const std::lock_guard lock(here.mutex);
    runtime = here.runtime.get();
    if (runtime == nullptr) return use(here.modules, nullptr);
  }
  const std::lock_guard lock(runtime->mutex);
  use(here.modules, runtime);
}

/// Refuses attributes of cudaLaunchKernelExC that the simulator cannot follow.
cudaError_t check_attribute(const cudaLaunchAttribute& attribute) {
  switch (static_cast<int>(attribute.id)) {
    case cudaLaunchAttributeClusterDimension: {
      const auto& cluster = attribute.val.clusterDim;
      if (cluster.x * cluster.y * cluster.z <= 1) return cudaSuccess;
      say_once(
          "cudaLaunchKernelExC: clusters of more than one block are not supported by the "
          "simulator: launch without a cluster, or with one of 1x1x1");
      return cudaErrorNotSupported;
    }
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case kPreferredSharedMemoryCarveout:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeProgrammaticStreamSerialization: return cudaSuccess;
    default:
      say_once("cudaLaunchKernelExC: the launch attribute " +
               std::to_string(static_cast<int>(attribute.id)) +
               " is not supported by the simulator");
      return cudaErrorNotSupported;
  }
}

cudaError_t launch_extended(Runtime& runtime, const cudaLaunchConfig_t* config,
                            const void* function, void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    const auto code = check_attribute(attribute);
    if (code != cudaSuccess) return code;
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
  }
  return launch_kernel(runtime, {function, config->gridDim, config->blockDim, arguments,
                                 config->dynamicSmemBytes, config->stream, cooperative});
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier,readability-function-size)
// The declarations are CUDA's.
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

void** __cudaRegisterFatBinary(void* wrapper) {
  KernelModule* added = nullptr;
  with_modules([&](KernelModules& modules, Runtime*) {
    added = &modules.add(std::make_unique<KernelModule>(wrapper));
  });
  return reinterpret_cast<void**>(added);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle) {
  with_modules([&](KernelModules& modules, Runtime* runtime) {
    modules.remove(modules.find(handle), runtime != nullptr ? &runtime->memory : nullptr);
  });
}
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      modules.register_kernel(host, *module, name);
    }
  });
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int,
                       int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      modules.register_variable(host, *module, name);
    }
  });
}
void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t,
                              int, int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      module->add_managed(name, host);
      modules.register_variable(host, *module, name);
    }
  });
}
void __cudaRegisterHostVar(void**, const char* name, char* host, std::size_t) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(host, std::string("the variable ") + name +
                                       " lives on the host; the simulator does not reach it");
  });
}
void __cudaRegisterTexture(void**, const void* host, const void**, const char* name, int, int,
                           int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(
        host, std::string("the texture reference ") + name + " is not supported by the simulator");
  });
}
void __cudaRegisterSurface(void**, const void* host, const void**, const char* name, int, int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(
        host, std::string("the surface reference ") + name + " is not supported by the simulator");
  });
}
char __cudaInitModule(void** handle) {
  Runtime* const runtime = start_runtime();
  if (runtime == nullptr) return 0;
  const std::lock_guard lock(runtime->mutex);
  KernelModule* const module = process().modules.find(handle);
  if (module == nullptr || !module->has_managed()) return 1;
  // The program reads a managed variable's address as soon as this returns.
  const auto compiled = module->compiled(runtime->memory, runtime->capability());
  if (!compiled) (void)remember(refuse(compiled.error()));
  return compiled ? 1 : 0;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  configurations().push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations().empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* host) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    KernelHandle* const handle = process().modules.kernel(host);
    if (out == nullptr || handle == nullptr) return cudaErrorInvalidDeviceFunction;
    *out = reinterpret_cast<cudaKernel_t>(handle);
    return cudaSuccess;
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt, {kernel, grid, block, arguments, shared, stream});
  });
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt, {function, grid, block, arguments, shared, stream});
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return with_runtime(
      [&](Runtime& rt) { return launch_extended(rt, config, function, arguments); });
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt, {function, grid, block, arguments, shared, stream, true});
  });
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier,readability-function-size)

WARPMIND_PER_THREAD(__cudaLaunchKernel, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchKernel, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchKernelExC, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);
