#include "profilers/simulator/cudart/device_properties.h"

#include "profilers/simulator/cudart/error_names.h"
#include "profilers/simulator/cudart/runtime.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>

#include <cuda_profiler_api.h>

namespace warpmind::simulator {
namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kGib = kMib * 1024.0;
constexpr std::size_t kKib = 1024;
constexpr int kMostInt = std::numeric_limits<int>::max();

void set_limits(cudaDeviceProp& p) {
  // CUDA C++ programming guide, table "Technical Specifications per Compute Capability".
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = kMostInt;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 64 * kKib;
  p.sharedMemPerBlock = 48 * kKib;
  p.memPitch = static_cast<std::size_t>(kMostInt);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
}

void set_abilities(cudaDeviceProp& p) {
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.computePreemptionSupported = 1;
  p.memoryPoolsSupported = 1;
  p.hostRegisterSupported = 1;
  p.cooperativeLaunch = 1;
  // Not: clusters, whose blocks see each other's shared memory.
}

struct Row {
  cudaDeviceAttr which;
  int value;
};

int narrow(std::size_t value) { return static_cast<int>(std::min<std::size_t>(value, kMostInt)); }

template <std::size_t N>
std::optional<int> find(const std::array<Row, N>& table, cudaDeviceAttr which) {
  for (const Row& row : table) {
    if (row.which == which) return row.value;
  }
  return std::nullopt;
}

/// Attributes up to the middle of the enumeration; the rest below.
std::optional<int> lower_attribute(const DeviceSpec& device, const cudaDeviceProp& p,
                                   cudaDeviceAttr which) {
  const std::array table = {
      Row{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      Row{cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      Row{cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      Row{cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      Row{cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      Row{cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      Row{cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      Row{cudaDevAttrMaxSharedMemoryPerBlock, narrow(p.sharedMemPerBlock)},
      Row{cudaDevAttrTotalConstantMemory, narrow(p.totalConstMem)},
      Row{cudaDevAttrWarpSize, p.warpSize},
      Row{cudaDevAttrMaxPitch, narrow(p.memPitch)},
      Row{cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      Row{cudaDevAttrClockRate, static_cast<int>(device.sm_clock_mhz * 1000)},
      Row{cudaDevAttrTextureAlignment, narrow(p.textureAlignment)},
      Row{cudaDevAttrTexturePitchAlignment, narrow(p.texturePitchAlignment)},
      Row{cudaDevAttrSurfaceAlignment, narrow(p.surfaceAlignment)},
      Row{cudaDevAttrGpuOverlap, 1},
      Row{cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      Row{cudaDevAttrKernelExecTimeout, 0},
      Row{cudaDevAttrIntegrated, 0},
      Row{cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      Row{cudaDevAttrComputeMode, cudaComputeModeDefault},
      Row{cudaDevAttrConcurrentKernels, p.concurrentKernels},
      Row{cudaDevAttrEccEnabled, 0},
      Row{cudaDevAttrPciBusId, 0},
      Row{cudaDevAttrPciDeviceId, 0},
      Row{cudaDevAttrPciDomainId, 0},
      Row{cudaDevAttrTccDriver, 0},
      Row{cudaDevAttrMemoryClockRate, static_cast<int>(device.memory_clock_mhz * 1000)},
      Row{cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      Row{cudaDevAttrL2CacheSize, p.l2CacheSize},
      Row{cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      Row{cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      Row{cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
  };
  return find(table, which);
}

/// The newer ones.
std::optional<int> upper_attribute(const DeviceSpec& device, const cudaDeviceProp& p,
                                   cudaDeviceAttr which) {
  const std::array table = {
      Row{cudaDevAttrComputeCapabilityMajor, p.major},
      Row{cudaDevAttrComputeCapabilityMinor, p.minor},
      Row{cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
      Row{cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      Row{cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      Row{cudaDevAttrMaxSharedMemoryPerMultiprocessor, narrow(p.sharedMemPerMultiprocessor)},
      Row{cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      Row{cudaDevAttrManagedMemory, p.managedMemory},
      Row{cudaDevAttrIsMultiGpuBoard, 0},
      Row{cudaDevAttrMultiGpuBoardGroupID, 0},
      Row{cudaDevAttrHostNativeAtomicSupported, 0},
      Row{cudaDevAttrSingleToDoublePrecisionPerfRatio,
          static_cast<int>(std::lround(device.fp32_tflops / std::max(device.fp64_tflops, 0.01)))},
      Row{cudaDevAttrPageableMemoryAccess, 0},
      Row{cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      Row{cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
      Row{cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
      Row{cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      Row{cudaDevAttrMaxSharedMemoryPerBlockOptin, narrow(p.sharedMemPerBlockOptin)},
      Row{cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
      Row{cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      Row{cudaDevAttrDirectManagedMemAccessFromHost, 0},
      Row{cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      Row{cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      Row{cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
      Row{cudaDevAttrReservedSharedMemoryPerBlock, narrow(p.reservedSharedMemPerBlock)},
      Row{cudaDevAttrSparseCudaArraySupported, 0},
      Row{cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
      Row{cudaDevAttrGPUDirectRDMASupported, 0},
      Row{cudaDevAttrClusterLaunch, 0},
      Row{cudaDevAttrIpcEventSupport, 0},
      Row{cudaDevAttrMemSyncDomainCount, 1},
      Row{cudaDevAttrNumaConfig, 0},
      Row{cudaDevAttrNumaId, -1},
      Row{cudaDevAttrMpsEnabled, 0},
      Row{cudaDevAttrHostNumaId, -1},
  };
  return find(table, which);
}

}  // namespace

cudaDeviceProp device_properties(const DeviceSpec& device) {
  cudaDeviceProp p{};
  const std::size_t length = std::min(device.name.size(), sizeof p.name - 1);
  std::memcpy(static_cast<char*>(p.name), device.name.data(), length);
  set_limits(p);
  set_abilities(p);
  p.totalGlobalMem = static_cast<std::size_t>(device.memory_gib * kGib);
  p.l2CacheSize = static_cast<int>(device.l2_mib * kMib);
  p.persistingL2CacheMaxSize = p.l2CacheSize / 2;
  p.accessPolicyMaxWindowSize = 128 * 1024 * 1024;
  p.major = device.compute_major;
  p.minor = device.compute_minor;
  p.multiProcessorCount = device.sm_count;
  p.maxThreadsPerMultiProcessor = device.threads_per_sm;
  p.maxBlocksPerMultiProcessor = device.blocks_per_sm;
  p.regsPerBlock = p.regsPerMultiprocessor = device.registers_per_sm;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_kib_per_sm) * kKib;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_kib_per_block) * kKib;
  p.reservedSharedMemPerBlock = device.compute_major >= 8 ? kKib : 0;
  // The width that, at two transfers a clock, gives the datasheet's bandwidth.
  const double transfers = std::max(device.memory_clock_mhz, 1.0) * 2 / 1000;
  p.memoryBusWidth = static_cast<int>(device.memory_bandwidth_gb_s * 8 / transfers);
  return p;
}

std::optional<int> device_attribute(const DeviceSpec& device, cudaDeviceAttr which) {
  const cudaDeviceProp p = device_properties(device);
  const auto found = lower_attribute(device, p, which);
  return found ? found : upper_attribute(device, p, which);
}

// The device, its limits, versions, and errors.

namespace {

/// The CUDA version that is simulated: what this was built against.
constexpr int kVersion = CUDART_VERSION;
constexpr const char* kBusId = "0000:00:00.0";

/// For questions that need no context: they are answered after a fault, too.
template <class Body>
cudaError_t ask(Body&& body) noexcept {
  Runtime* const runtime = start_runtime();
  return remember(runtime == nullptr ? cudaErrorInitializationError : body(*runtime));
}

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

/// cudaDeviceSetLimit: kept so that cudaDeviceGetLimit returns it.
std::map<int, std::size_t>& limits() {
  static std::map<int, std::size_t>& values =
      *new std::map<int, std::size_t>{{cudaLimitStackSize, 1024},
                                      {cudaLimitPrintfFifoSize, std::size_t{1} << 20U},
                                      {cudaLimitMallocHeapSize, std::size_t{8} << 20U},
                                      {cudaLimitMaxL2FetchGranularity, 64},
                                      {cudaLimitPersistingL2CacheSize, 0}};
  return values;
}

/// Frees what the program allocated and forgets the fault, as the end of a context does. Modules
/// are compiled again when they are used again.
void reset(Runtime& runtime) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::other;
  call.name = "cudaDeviceReset";
  trace_call(runtime, call);
  runtime.streams.wait_all();
  const std::lock_guard lock(runtime.mutex);
  for (const auto& [address, use] : runtime.uses) runtime.memory.release(address);
  runtime.uses.clear();
  runtime.events.clear();
  for (const auto& [handle, stream] : runtime.stream_handles) runtime.streams.forget(stream);
  runtime.stream_handles.clear();
  process().modules.unload_all(runtime.memory);
  runtime.clear_fault();
}

cudaError_t no_driver(const char* symbol, void** function,
                      cudaDriverEntryPointQueryResult* status) {
  say_once("the program asks for the driver (" + std::string(symbol != nullptr ? symbol : "?") +
           "): the simulator stands in for the CUDA runtime only; cuBLAS, cuDNN and other "
           "libraries that need the driver do not work with it");
  if (function != nullptr) *function = nullptr;
  if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
  return remember(cudaErrorNotSupported);
}

}  // namespace

}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

cudaError_t cudaGetLastError() {
  const Process& here = process();
  if (here.runtime != nullptr && here.runtime->fault_delivered()) return here.runtime->fault();
  const cudaError_t last = last_error();
  last_error() = cudaSuccess;
  return last;
}
cudaError_t cudaPeekAtLastError() {
  const Process& here = process();
  if (here.runtime != nullptr && here.runtime->fault_delivered()) return here.runtime->fault();
  return last_error();
}
const char* cudaGetErrorName(cudaError_t code) {
  const char* const name = cuda_error_name(code);
  return name != nullptr ? name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t code) {
  const char* const text = cuda_error_text(code);
  return text != nullptr ? text : "unrecognized error code";
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = kVersion;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceCount(int* count) {
  return ask([&](Runtime&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return ask([&](Runtime&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return ask([&](Runtime& rt) {
    if (rt.fault_delivered()) return rt.fault();
    return check_device(device);
  });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int*, int) { return cudaSetDevice(0); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSetDevice(0); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return ask([&](Runtime&) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = cudaDeviceScheduleAuto;
    return cudaSuccess;
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return ask([&](Runtime& rt) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = device_properties(rt.device);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return ask([&](Runtime& rt) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const auto found = device_attribute(rt.device, which);
    if (!found) {
      say_once("cudaDeviceGetAttribute: the simulated device has no value for attribute " +
               std::to_string(static_cast<int>(which)));
      return cudaErrorNotSupported;
    }
    *value = *found;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return ask([&](Runtime&) {
    if (id == nullptr || length < 13) return cudaErrorInvalidValue;
    std::snprintf(id, static_cast<std::size_t>(length), "%s", kBusId);
    return check_device(device);
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return ask([&](Runtime&) {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    if (std::strcmp(id, kBusId) != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return ask([](Runtime& rt) {
    reset(rt);
    last_error() = cudaSuccess;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    const auto at = limits().find(limit);
    if (at == limits().end()) return cudaErrorUnsupportedLimit;
    at->second = value;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    const auto at = limits().find(limit);
    if (at == limits().end()) return cudaErrorUnsupportedLimit;
    if (value == nullptr) return cudaErrorInvalidValue;
    *value = at->second;
    return cudaSuccess;
  });
}
// Preferences without effect on results.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSetDevice(0); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSetDevice(0); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSetDevice(0); }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// There is one device, which has no peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return ask([&](Runtime&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    *can = 0;
    return device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return remember(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return remember(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  if (value != nullptr) *value = 0;
  return remember(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return no_driver(symbol, function, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return no_driver(symbol, function, status);
}
cudaError_t cudaGetExportTable(const void** table, const cudaUUID_t*) {
  if (table != nullptr) *table = nullptr;
  return no_driver("cudaGetExportTable", nullptr, nullptr);
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

// Deprecated for callers; programs built earlier still ask for it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
WARPMIND_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
#pragma GCC diagnostic pop
WARPMIND_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
