/// \file
/// cudaLibrary*, and what is known about kernels.

#include "profilers/simulator/cudart/fatbin.h"
#include "profilers/simulator/cudart/launches.h"
#include "profilers/simulator/cudart/occupancy.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace warpmind::simulator {
namespace {

/// Compiles at once: a library that cannot run says so when it is loaded.
cudaError_t add_library(Runtime& runtime, cudaLibrary_t* out, Result<std::string> ptx) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (!ptx) return refuse(ptx.error());
  const std::lock_guard lock(runtime.mutex);
  KernelModules& modules = process().modules;
  KernelModule& added = modules.add(std::make_unique<KernelModule>(std::move(*ptx)));
  const auto compiled = added.compiled(runtime.memory, runtime.capability());
  if (!compiled) {
    const auto code = refuse(compiled.error());
    modules.remove(&added, &runtime.memory);
    return code;
  }
  *out = reinterpret_cast<cudaLibrary_t>(&added);
  return cudaSuccess;
}

cudaError_t load_file(Runtime& runtime, cudaLibrary_t* out, const char* name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  std::ifstream file(name, std::ios::binary);
  if (!file) return cudaErrorFileNotFound;
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return add_library(runtime, out, ptx_of_bytes({data, bytes.size()}, runtime.capability()));
}

/// Calls use(module, its compiled form) with the runtime's lock held.
template <class Use>
cudaError_t with_library(cudaLibrary_t library, Use&& use) {
  return with_runtime([&](Runtime& rt) -> cudaError_t {
    const std::lock_guard lock(rt.mutex);
    KernelModule* const module = process().modules.find(library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    const auto compiled = module->compiled(rt.memory, rt.capability());
    return compiled ? use(rt, *module, **compiled) : refuse(compiled.error());
  });
}

std::vector<std::string> entry_names(const CompiledModule& module) {
  std::vector<std::string> names;
  for (const auto& program : module.programs) {
    if (program->is_entry) names.push_back(program->name);
  }
  return names;
}

/// Calls use(kernel); nothing of it runs.
template <class Use>
cudaError_t with_kernel(const void* function, Use&& use) {
  return with_runtime([&](Runtime& rt) -> cudaError_t {
    ReadyKernel kernel;
    const auto code = find_kernel(rt, function, kernel);
    return code != cudaSuccess ? code : use(rt, kernel);
  });
}

/// "sm_90a" -> 90.
int architecture_number(const std::string& target) {
  const auto digits = target.find('_');
  return digits == std::string::npos ? 0 : std::atoi(target.c_str() + digits + 1);  // NOLINT
}

void describe(const Runtime& runtime, const ReadyKernel& kernel, cudaFuncAttributes& out) {
  const Program& program = *kernel.program;
  out = {};
  out.sharedSizeBytes = program.shared_bytes;
  out.localSizeBytes = program.local_bytes;
  out.maxThreadsPerBlock = program.most_threads > 0 ? static_cast<int>(program.most_threads) : 1024;
  out.numRegs = estimated_registers(program);
  out.ptxVersion = architecture_number(kernel.module->target);
  out.binaryVersion = runtime.capability();
  const std::uint32_t opted = kernel.handle->most_dynamic_shared;
  constexpr std::uint32_t kDefault = 48 * 1024;
  out.maxDynamicSharedSizeBytes =
      static_cast<int>(opted > 0 ? opted : kDefault - std::min(kDefault, program.shared_bytes));
  out.preferredShmemCarveout = kernel.handle->shared_carveout;
}

cudaError_t set_attribute(Runtime& runtime, const ReadyKernel& kernel, cudaFuncAttribute which,
                          int value) {
  switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const auto room = static_cast<std::int64_t>(runtime.most_shared()) -
                        static_cast<std::int64_t>(kernel.program->shared_bytes);
      if (value < 0 || value > room) return cudaErrorInvalidValue;
      kernel.handle->most_dynamic_shared = static_cast<std::uint32_t>(value);
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel.handle->shared_carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel.handle->non_portable_cluster_size = value != 0;
      return cudaSuccess;
    default:
      say_once("cudaFuncSetAttribute: the attribute " + std::to_string(static_cast<int>(which)) +
               " is not supported by the simulator");
      return cudaErrorNotSupported;
  }
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

// Options of the just-in-time compiler mean nothing here.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return with_runtime([&](Runtime& rt) {
    if (code == nullptr) return cudaErrorInvalidValue;
    return add_library(rt, library, ptx_of_image(code, rt.capability()));
  });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* name, cudaJitOption*,
                                    void**, unsigned, cudaLibraryOption*, void**, unsigned) {
  return with_runtime([&](Runtime& rt) { return load_file(rt, library, name); });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return with_runtime([&](Runtime& rt) {
    rt.streams.wait_all();
    const std::lock_guard lock(rt.mutex);
    KernelModules& modules = process().modules;
    const KernelModule* const module = modules.find(library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    modules.remove(module, &rt.memory);
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return with_library(library, [&](Runtime&, KernelModule& module, const CompiledModule& compiled) {
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    const Program* const program = compiled.find(name);
    if (program == nullptr || !program->is_entry) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(&process().modules.handle_of(module, name));
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return with_library(library, [&](Runtime& rt, KernelModule& module, const CompiledModule&) {
    if (name == nullptr) return cudaErrorInvalidValue;
    const auto found = module.variable(name, rt.memory, rt.capability());
    if (!found) return cudaErrorSymbolNotFound;
    if (address != nullptr) {
      *address = reinterpret_cast<void*>(found->address);  // NOLINT(performance-no-int-to-ptr)
    }
    if (bytes != nullptr) *bytes = found->bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return with_library(library, [&](Runtime&, KernelModule&, const CompiledModule& compiled) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(entry_names(compiled).size());
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  return with_library(library, [&](Runtime&, KernelModule& module, const CompiledModule& compiled) {
    if (kernels == nullptr) return cudaErrorInvalidValue;
    const std::vector<std::string> names = entry_names(compiled);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, names.size()); ++i) {
      KernelHandle& handle = process().modules.handle_of(module, names[i]);
      kernels[i] = reinterpret_cast<cudaKernel_t>(&handle);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                 size_t* bytes) {
  return with_kernel(function, [&](Runtime&, const ReadyKernel& kernel) {
    const auto& parameters = kernel.program->parameters;
    if (index >= parameters.size() || offset == nullptr) return cudaErrorInvalidValue;
    *offset = parameters[index].offset;
    if (bytes != nullptr) *bytes = parameters[index].bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel(function, [&](Runtime& rt, const ReadyKernel& kernel) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    describe(rt, kernel, *attributes);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute which, int value) {
  return with_kernel(function, [&](Runtime& rt, const ReadyKernel& kernel) {
    return set_attribute(rt, kernel, which, value);
  });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute which, int value,
                                            int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute(kernel, which, value);
}
// A preference for the L1 that changes no result; the time model sees what was launched.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return with_kernel(function, [](Runtime&, const ReadyKernel&) { return cudaSuccess; });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return with_kernel(function, [](Runtime&, const ReadyKernel&) { return cudaSuccess; });
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(function, [&](Runtime&, const ReadyKernel& kernel) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = kernel.handle->name.c_str();
    return cudaSuccess;
  });
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return with_kernel(symbol, [&](Runtime&, const ReadyKernel& kernel) {
    if (function == nullptr) return cudaErrorInvalidValue;
    *function = reinterpret_cast<cudaFunction_t>(kernel.handle);
    return cudaSuccess;
  });
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return with_kernel(symbol, [&](Runtime&, const ReadyKernel& found) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    *kernel = reinterpret_cast<cudaKernel_t>(found.handle);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return with_kernel(function, [&](Runtime& rt, const ReadyKernel& kernel) {
    if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
    *blocks = active_blocks(rt.device, *kernel.program, threads, shared);
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int threads) {
  return with_kernel(function, [&](Runtime& rt, const ReadyKernel& kernel) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    *bytes = available_dynamic_shared(rt.device, *kernel.program, blocks, threads);
    return cudaSuccess;
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)
