/// \file
/// Streams, and events: points in streams, with the time of the simulated clock.

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

// Events: points in streams, with the time of the simulated clock.

constexpr double kNsInMs = 1e6;

/// Null for a handle that is none.
Event* find_event(Runtime& runtime, cudaEvent_t handle) {
  const auto at = runtime.events.find(handle);
  return at == runtime.events.end() ? nullptr : at->second.get();
}

struct EventState {
  bool exists = false;
  unsigned flags = 0;
  std::shared_ptr<const Stamp> stamp;
};
EventState state_of(Runtime& runtime, cudaEvent_t handle) {
  const std::lock_guard lock(runtime.mutex);
  const Event* const event = find_event(runtime, handle);
  return event == nullptr ? EventState{} : EventState{true, event->flags, event->stamp};
}

cudaError_t record(Runtime& runtime, cudaEvent_t handle, cudaStream_t stream) {
  const std::shared_ptr<Stream> queue = find_stream(runtime, stream);
  if (queue == nullptr || !state_of(runtime, handle).exists) return cudaErrorInvalidResourceHandle;
  auto stamp = runtime.streams.submit(queue, [](double start_ns) { return start_ns; });
  const std::lock_guard lock(runtime.mutex);
  if (Event* const event = find_event(runtime, handle)) event->stamp = std::move(stamp);
  return cudaSuccess;
}

cudaError_t elapsed(Runtime& runtime, float* ms, cudaEvent_t start, cudaEvent_t end) {
  if (ms == nullptr) return cudaErrorInvalidValue;
  const EventState first = state_of(runtime, start);
  const EventState last = state_of(runtime, end);
  const bool timed = ((first.flags | last.flags) & cudaEventDisableTiming) == 0;
  if (!first.stamp || !last.stamp || !timed) return cudaErrorInvalidResourceHandle;
  if (!runtime.streams.done(*first.stamp) || !runtime.streams.done(*last.stamp)) {
    return cudaErrorNotReady;
  }
  *ms = static_cast<float>((last.stamp->ns - first.stamp->ns) / kNsInMs);
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

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  return with_runtime([&](Runtime& rt) {
    if (out == nullptr) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) != 0) {
      say_once("cudaEventCreateWithFlags: events between processes are not supported");
      return cudaErrorNotSupported;
    }
    auto event = std::make_unique<Event>();
    event->flags = flags;
    *out = reinterpret_cast<cudaEvent_t>(event.get());
    const std::lock_guard lock(rt.mutex);
    rt.events[event.get()] = std::move(event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return cudaEventCreateWithFlags(out, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return rt.events.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) { return record(rt, handle, stream); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  return with_runtime([&](Runtime& rt) {
    return flags == cudaEventRecordDefault ? record(rt, handle, stream) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return with_runtime([&](Runtime& rt) {
    const EventState event = state_of(rt, handle);
    if (!event.exists) return cudaErrorInvalidResourceHandle;
    trace_wait(rt, "event", nullptr);
    if (event.stamp) rt.streams.wait(*event.stamp);
    return fault_after_waiting(rt);
  });
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  const auto code = with_runtime([&](Runtime& rt) {
    const EventState event = state_of(rt, handle);
    if (!event.exists) return cudaErrorInvalidResourceHandle;
    return !event.stamp || rt.streams.done(*event.stamp) ? cudaSuccess : cudaErrorNotReady;
  });
  if (code == cudaErrorNotReady) last_error() = cudaSuccess;
  return code;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return with_runtime([&](Runtime& rt) { return elapsed(rt, ms, start, end); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return with_runtime([&](Runtime& rt) {
    const std::shared_ptr<Stream> stream = find_stream(rt, handle);
    const EventState event = state_of(rt, event_handle);
    if (stream == nullptr || !event.exists) return cudaErrorInvalidResourceHandle;
    if (!event.stamp) return cudaSuccess;
    rt.streams.add_wait(stream, event.stamp);
    rt.streams.submit(stream, [](double start_ns) { return start_ns; });
    return cudaSuccess;
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaEventRecord, _ptsz);
WARPMIND_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
WARPMIND_PER_THREAD(cudaStreamWaitEvent, _ptsz);
