/// \file
/// Allocation, pinned and managed memory, pools, and what is known about a pointer.

#include "profilers/simulator/cudart/runtime.h"

#include <algorithm>
#include <array>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kPitchAlignment = 512;

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): device addresses
}
std::uint64_t address_of(const void* any) { return reinterpret_cast<std::uint64_t>(any); }

void trace_allocation(Runtime& runtime, std::uint64_t address, std::size_t bytes, MemoryUse use) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::allocate;
  call.name = use == MemoryUse::device    ? "device"
              : use == MemoryUse::managed ? "managed"
                                          : "pinned";
  call.address = address;
  call.bytes = bytes;
  trace_call(runtime, call);
}

void trace_release(Runtime& runtime, const void* memory, const void* stream) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::release;
  call.address = address_of(memory);
  call.stream = address_of(stream);
  call.async = stream != nullptr;
  trace_call(runtime, call);
}

cudaError_t allocate(Runtime& runtime, void** out, std::size_t bytes, MemoryUse use) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return use == MemoryUse::managed ? cudaErrorInvalidValue : cudaSuccess;
  const std::lock_guard lock(runtime.mutex);
  const std::uint64_t address = use == MemoryUse::device ? runtime.memory.allocate(bytes)
                                                         : runtime.memory.allocate_visible(bytes);
  if (address == 0) {
    say_once("an allocation of " + std::to_string(bytes) + " bytes does not fit beside the " +
             std::to_string(runtime.memory.live_bytes()) + " in use: the simulated device has " +
             std::to_string(runtime.memory.capacity()) + " (CUDASIM_DEVICE chooses another)");
    return cudaErrorMemoryAllocation;
  }
  runtime.uses[address] = use;
  trace_allocation(runtime, address, bytes, use);
  *out = pointer(address);
  return cudaSuccess;
}

/// cudaFree waits for the device; so does the end of a pinned range.
cudaError_t release(Runtime& runtime, void* memory, bool pinned) {
  if (memory == nullptr) return cudaSuccess;
  runtime.streams.wait_all();
  if (fault_after_waiting(runtime) != cudaSuccess) return runtime.fault();
  const std::lock_guard lock(runtime.mutex);
  const auto at = runtime.uses.find(address_of(memory));
  if (at == runtime.uses.end() || (at->second == MemoryUse::pinned) != pinned) {
    return cudaErrorInvalidValue;
  }
  trace_release(runtime, memory, nullptr);
  runtime.memory.release(at->first);
  runtime.uses.erase(at);
  return cudaSuccess;
}

/// In stream order, as cudaFreeAsync promises.
cudaError_t release_in_order(Runtime& runtime, void* memory, cudaStream_t stream) {
  const std::shared_ptr<Stream> queue = find_stream(runtime, stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  {
    const std::lock_guard lock(runtime.mutex);
    if (runtime.uses.erase(address_of(memory)) == 0) return cudaErrorInvalidValue;
    trace_release(runtime, memory, stream);
  }
  runtime.streams.submit(queue, [&runtime, memory](double start_ns) {
    const std::lock_guard lock(runtime.mutex);
    runtime.memory.release(address_of(memory));
    return start_ns;
  });
  return cudaSuccess;
}

/// The one pool, which is the device's memory.
cudaMemPool_t the_pool() {
  static int pool = 0;
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

cudaError_t describe_pointer(Runtime& runtime, cudaPointerAttributes& out, const void* any) {
  out = {};
  out.type = cudaMemoryTypeUnregistered;
  out.device = cudaInvalidDeviceId;
  out.hostPointer = const_cast<void*>(any);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const std::lock_guard lock(runtime.mutex);
  const Allocation* const allocation =
      runtime.memory.contains(address_of(any)) ? runtime.memory.find(address_of(any)) : nullptr;
  if (allocation == nullptr || !allocation->live) return cudaSuccess;
  const auto at = runtime.uses.find(allocation->address);
  const MemoryUse use = at == runtime.uses.end() ? MemoryUse::device : at->second;
  out.device = 0;
  out.devicePointer = out.hostPointer;
  switch (use) {
    case MemoryUse::device:
      out.type = cudaMemoryTypeDevice;
      out.hostPointer = nullptr;
      break;
    case MemoryUse::managed: out.type = cudaMemoryTypeManaged; break;
    case MemoryUse::pinned: out.type = cudaMemoryTypeHost; break;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

cudaError_t cudaMalloc(void** out, size_t bytes) {
  return with_runtime([&](Runtime& rt) { return allocate(rt, out, bytes, MemoryUse::device); });
}
cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  return with_runtime([&](Runtime& rt) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(rt, out, bytes, MemoryUse::managed);
  });
}
cudaError_t cudaMallocHost(void** out, size_t bytes) {
  return with_runtime([&](Runtime& rt) { return allocate(rt, out, bytes, MemoryUse::pinned); });
}
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned) {
  return with_runtime([&](Runtime& rt) { return allocate(rt, out, bytes, MemoryUse::pinned); });
}
cudaError_t cudaFree(void* memory) {
  return with_runtime([&](Runtime& rt) { return release(rt, memory, false); });
}
cudaError_t cudaFreeHost(void* memory) {
  return with_runtime([&](Runtime& rt) { return release(rt, memory, true); });
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  return with_runtime([&](Runtime& rt) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    if (height != 0 && *pitch > SIZE_MAX / height) return cudaErrorMemoryAllocation;
    return allocate(rt, out, *pitch * height, MemoryUse::device);
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
  if (out == nullptr) return remember(cudaErrorInvalidValue);
  out->xsize = extent.width;
  out->ysize = extent.height;
  return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  return with_runtime([&](Runtime& rt) {
    if (memory == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    const bool is_new = rt.registered.emplace(address_of(memory), bytes).second;
    return is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}
cudaError_t cudaHostUnregister(void* memory) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    const bool was = rt.registered.erase(address_of(memory)) != 0;
    return was ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}
cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned) {
  return with_runtime([&](Runtime& rt) {
    if (out == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    if (rt.memory.contains(address_of(host))) {
      *out = host;
      return cudaSuccess;
    }
    say_once(
        "cudaHostGetDevicePointer: kernels of the simulator reach memory of cudaHostAlloc "
        "and cudaMallocHost, not memory that was registered later (cudaHostRegister)");
    return cudaErrorNotSupported;
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    const auto at = rt.uses.find(address_of(host));
    if (flags == nullptr || at == rt.uses.end() || at->second != MemoryUse::pinned) {
      return cudaErrorInvalidValue;
    }
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return with_runtime([&](Runtime& rt) {
    if (free_bytes == nullptr || total == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    *total = rt.memory.capacity();
    *free_bytes = rt.memory.capacity() - rt.memory.live_bytes();
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* any) {
  return with_runtime([&](Runtime& rt) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    return describe_pointer(rt, *attributes, any);
  });
}

// Managed memory is where host and device both reach it: there is nothing to move.
static cudaError_t check_managed(const void* memory) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return rt.memory.contains(address_of(memory)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* memory, size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return check_managed(memory);
}
cudaError_t cudaMemAdvise(const void* memory, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return check_managed(memory);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* memory, size_t, int, cudaStream_t) {
  return check_managed(memory);
}
cudaError_t cudaMemPrefetchAsync_v2(const void* memory, size_t, cudaMemLocation, unsigned,
                                    cudaStream_t) {
  return check_managed(memory);
}
cudaError_t cudaMemAdvise(const void* memory, size_t, cudaMemoryAdvise, int) {
  return check_managed(memory);
}
cudaError_t cudaMemAdvise_v2(const void* memory, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return check_managed(memory);
}
#endif
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* memory, size_t, unsigned) {
  return check_managed(memory);
}

// Pools: all memory is one pool, and an allocation is made at once.
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t) {
  return cudaMalloc(out, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return cudaMalloc(out, bytes);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) { return release_in_order(rt, memory, stream); });
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr || device != 0) return remember(cudaErrorInvalidValue);
  *pool = the_pool();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t) {
  return device == 0 ? cudaSuccess : remember(cudaErrorInvalidDevice);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
  return cudaSuccess;
}
// Attributes of a pool say what it keeps for later; this one keeps nothing.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  return value != nullptr ? cudaSuccess : remember(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr which, void* value) {
  return with_runtime([&](Runtime& rt) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const bool is_size = which >= cudaMemPoolAttrReleaseThreshold;
    const std::lock_guard lock(rt.mutex);
    if (is_size) {
      const bool is_use = which != cudaMemPoolAttrReleaseThreshold;
      *static_cast<std::uint64_t*>(value) = is_use ? rt.memory.live_bytes() : 0;
    } else {
      *static_cast<int*>(value) = 1;
    }
    return cudaSuccess;
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaMallocAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
WARPMIND_PER_THREAD(cudaFreeAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
#if CUDART_VERSION < 13000
WARPMIND_PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz);
#endif
WARPMIND_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
