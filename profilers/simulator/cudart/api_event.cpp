/// \file
/// Events: points in streams, with the time of the simulated clock.

#include "profilers/simulator/cudart/runtime.h"

#include <utility>

namespace warpmind::simulator {
namespace {

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
