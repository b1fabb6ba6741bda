/// \file
/// The device, its limits, versions, and errors.

#include "profilers/simulator/cudart/device_properties.h"
#include "profilers/simulator/cudart/error_names.h"
#include "profilers/simulator/cudart/runtime.h"

#include <cstdio>
#include <cstring>
#include <map>

#include <cuda_profiler_api.h>

namespace warpmind::simulator {
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
