/// \file
/// For programs built with CUDA 12, in a library built with CUDA 13: what has the same name there
/// and other parameters. Exported as NAME@libcudart.so.12; all other names lead to those of CUDA 13
/// by code that cuda12_names.awk writes.

#include "profilers/simulator/cudart/device_properties.h"
#include "profilers/simulator/cudart/runtime.h"

#include <array>
#include <cstddef>
#include <cstring>

#if CUDART_VERSION >= 13000

namespace warpmind::simulator {
namespace {

/// What those programs are told when they ask for the runtime's version.
constexpr int kVersion = 12090;
/// cudaPointerAttributes of CUDA 12 is the first part of CUDA 13's.
constexpr std::size_t kPointerAttributesBytes = 24;

/// cudaDeviceProp of CUDA 12 has members that CUDA 13 dropped, at these bytes.
constexpr std::size_t kPropertiesBytes = 1032;
constexpr std::size_t kClockRate = 348;
constexpr std::size_t kDeviceOverlap = 384;
constexpr std::size_t kMemoryClockRate = 608;
constexpr std::size_t kSingleToDouble = 668;

/// Members that follow each other in both; bytes from the start of the structure.
struct Run {
  std::size_t from;  ///< in CUDA 13's
  std::size_t to;    ///< in CUDA 12's
  std::size_t bytes;
};
constexpr std::array kRuns{
    Run{0, 0, 348},  // name to maxGridSize
    Run{offsetof(cudaDeviceProp, totalConstMem), 352, 32},
    Run{offsetof(cudaDeviceProp, multiProcessorCount), 388, 4},
    Run{offsetof(cudaDeviceProp, integrated), 396, 8},
    Run{offsetof(cudaDeviceProp, maxTexture1D), 408, 8},
    Run{offsetof(cudaDeviceProp, maxTexture2D), 420, 148},
    Run{offsetof(cudaDeviceProp, surfaceAlignment), 568, 40},
    Run{offsetof(cudaDeviceProp, memoryBusWidth), 612, 28},
    Run{offsetof(cudaDeviceProp, sharedMemPerMultiprocessor), 640, 28},
    Run{offsetof(cudaDeviceProp, pageableMemoryAccess), 672, 20},
    Run{offsetof(cudaDeviceProp, sharedMemPerBlockOptin), 696, 32},
    Run{offsetof(cudaDeviceProp, hostRegisterSupported), 728, 52},
};

void set(std::byte* properties, std::size_t at, int value) {
  std::memcpy(properties + at, &value, sizeof value);
}

cudaError_t copy_properties(std::byte* out, int device) {
  cudaDeviceProp properties{};
  const cudaError_t code = cudaGetDeviceProperties(&properties, device);
  if (code != cudaSuccess) return code;
  std::memset(out, 0, kPropertiesBytes);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&properties);
  for (const Run& run : kRuns) std::memcpy(out + run.to, bytes + run.from, run.bytes);
  constexpr std::array kDropped{
      std::pair{kClockRate, cudaDevAttrClockRate}, std::pair{kDeviceOverlap, cudaDevAttrGpuOverlap},
      std::pair{kMemoryClockRate, cudaDevAttrMemoryClockRate},
      std::pair{kSingleToDouble, cudaDevAttrSingleToDoublePrecisionPerfRatio}};
  for (const auto& [at, attribute] : kDropped) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess) set(out, at, value);
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming): CUDA's declarations
#define WARPMIND_CUDA12(result, name, parameters)                                       \
  extern "C" __attribute__((visibility("default"))) result toolkit12_##name parameters; \
  __asm__(".symver toolkit12_" #name ", " #name "@libcudart.so.12");                    \
  extern "C" result toolkit12_##name parameters

using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

WARPMIND_CUDA12(cudaError_t, cudaRuntimeGetVersion, (int* version)) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = kVersion;
  return cudaSuccess;
}
WARPMIND_CUDA12(cudaError_t, cudaGetDeviceProperties_v2, (void* properties, int device)) {
  if (properties == nullptr) return remember(cudaErrorInvalidValue);
  return copy_properties(static_cast<std::byte*>(properties), device);
}
WARPMIND_CUDA12(cudaError_t, cudaPointerGetAttributes, (void* attributes, const void* any)) {
  if (attributes == nullptr) return remember(cudaErrorInvalidValue);
  cudaPointerAttributes all{};
  const cudaError_t code = cudaPointerGetAttributes(&all, any);
  if (code == cudaSuccess) std::memcpy(attributes, &all, kPointerAttributesBytes);
  return code;
}
WARPMIND_CUDA12(cudaError_t, cudaMemAdvise,
                (const void* memory, size_t bytes, cudaMemoryAdvise advice, int)) {
  return cudaMemAdvise(memory, bytes, advice, {});
}
WARPMIND_CUDA12(cudaError_t, cudaMemAdvise_v2,
                (const void* memory, size_t bytes, cudaMemoryAdvise advice,
                 cudaMemLocation location)) {
  return cudaMemAdvise(memory, bytes, advice, location);
}
#define WARPMIND_PREFETCH12(suffix)                                                            \
  WARPMIND_CUDA12(cudaError_t, cudaMemPrefetchAsync##suffix,                                   \
                  (const void* memory, size_t bytes, int, cudaStream_t stream)) {              \
    return cudaMemPrefetchAsync(memory, bytes, {}, 0, stream);                                 \
  }                                                                                            \
  WARPMIND_CUDA12(cudaError_t, cudaMemPrefetchAsync_v2##suffix,                                \
                  (const void* memory, size_t bytes, cudaMemLocation location, unsigned flags, \
                   cudaStream_t stream)) {                                                     \
    return cudaMemPrefetchAsync(memory, bytes, location, flags, stream);                       \
  }
WARPMIND_PREFETCH12()
WARPMIND_PREFETCH12(_ptsz)
// NOLINTEND(readability-identifier-naming)

#endif
