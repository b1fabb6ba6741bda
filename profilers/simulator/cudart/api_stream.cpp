/// \file
/// Streams, host functions, and waiting for the device.

#include "profilers/simulator/cudart/runtime.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpmind::simulator {
namespace {

// As on current devices: 0 is the lowest priority. Nothing depends on it here.
constexpr int kLowestPriority = 0;
constexpr int kHighestPriority = -5;

cudaError_t make_stream(Runtime& runtime, cudaStream_t* out, unsigned flags, int priority) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
  const StreamKind kind =
      flags == cudaStreamNonBlocking ? StreamKind::non_blocking : StreamKind::blocking;
  const int kept = std::clamp(priority, kHighestPriority, kLowestPriority);
  std::shared_ptr<Stream> stream = runtime.streams.create(kind, kept);
  *out = reinterpret_cast<cudaStream_t>(stream.get());
  const std::lock_guard lock(runtime.mutex);
  runtime.stream_handles[stream.get()] = std::move(stream);
  return cudaSuccess;
}

cudaError_t destroy_stream(Runtime& runtime, cudaStream_t handle) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(runtime.mutex);
    const auto at = runtime.stream_handles.find(handle);
    if (at == runtime.stream_handles.end()) return cudaErrorInvalidResourceHandle;
    stream = std::move(at->second);
    runtime.stream_handles.erase(at);
  }
  runtime.streams.forget(stream);
  return cudaSuccess;
}

/// Calls `use(stream)`.
template <class Use>
cudaError_t with_stream(cudaStream_t handle, Use&& use) {
  return with_runtime([&](Runtime& rt) -> cudaError_t {
    const std::shared_ptr<Stream> stream = find_stream(rt, handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : use(rt, stream);
  });
}

/// For getters: stores `value` where it is wanted.
template <class T>
cudaError_t give(T* out, T value) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = value;
  return cudaSuccess;
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return with_runtime([&](Runtime& rt) { return make_stream(rt, out, cudaStreamDefault, 0); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return with_runtime([&](Runtime& rt) { return make_stream(rt, out, flags, 0); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  return with_runtime([&](Runtime& rt) { return make_stream(rt, out, flags, priority); });
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_runtime([&](Runtime& rt) { return destroy_stream(rt, handle); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream(handle, [&](Runtime& rt, const std::shared_ptr<Stream>& stream) {
    trace_wait(rt, "stream", handle);
    // The default stream ends after everything that it waits for.
    if (stream == rt.streams.legacy()) {
      rt.streams.wait(*rt.streams.submit(stream, [](double start_ns) { return start_ns; }));
    } else {
      rt.streams.wait(stream);
    }
    return fault_after_waiting(rt);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const auto code = with_stream(handle, [&](Runtime& rt, const std::shared_ptr<Stream>& stream) {
    // Not an error to remember, which with_runtime() would do.
    return rt.streams.idle(*stream) ? cudaSuccess : cudaErrorNotReady;
  });
  if (code == cudaErrorNotReady) last_error() = cudaSuccess;
  return code;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream(handle, [&](Runtime&, const std::shared_ptr<Stream>& stream) {
    return give(priority, stream->priority);
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream(handle, [&](Runtime&, const std::shared_ptr<Stream>& stream) {
    const bool free = stream->kind == StreamKind::non_blocking;
    return give(flags, static_cast<unsigned>(free ? cudaStreamNonBlocking : cudaStreamDefault));
  });
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](Runtime&, const std::shared_ptr<Stream>& stream) {
    return give(id,
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(stream.get())));
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream(handle, [&](Runtime&, const auto&) { return give(device, 0); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return with_stream(
      handle, [&](Runtime&, const auto&) { return give(status, cudaStreamCaptureStatusNone); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLowestPriority;
  if (greatest != nullptr) *greatest = kHighestPriority;
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return with_stream(handle, [&](Runtime& rt, const std::shared_ptr<Stream>& stream) {
    if (function == nullptr) return cudaErrorInvalidValue;
    rt.streams.submit(
        stream,
        [function, data](double start_ns) {
          function(data);
          return start_ns;
        },
        true);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  return with_stream(handle, [&](Runtime& rt, const std::shared_ptr<Stream>& stream) {
    if (function == nullptr || flags != 0) return cudaErrorInvalidValue;
    rt.streams.submit(
        stream,
        [&rt, handle, function, data](double start_ns) {
          function(handle, rt.fault(), data);
          return start_ns;
        },
        true);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return with_runtime([](Runtime& rt) {
    trace_wait(rt, "device", nullptr);
    rt.streams.wait_all();
    return fault_after_waiting(rt);
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaStreamSynchronize, _ptsz);
WARPMIND_PER_THREAD(cudaStreamQuery, _ptsz);
WARPMIND_PER_THREAD(cudaStreamGetPriority, _ptsz);
WARPMIND_PER_THREAD(cudaStreamGetFlags, _ptsz);
WARPMIND_PER_THREAD(cudaStreamGetId, _ptsz);
WARPMIND_PER_THREAD(cudaStreamGetDevice, _ptsz);
WARPMIND_PER_THREAD(cudaStreamIsCapturing, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchHostFunc, _ptsz);
WARPMIND_PER_THREAD(cudaStreamAddCallback, _ptsz);
