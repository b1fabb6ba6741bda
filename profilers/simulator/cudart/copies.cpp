#include "profilers/simulator/cudart/copies.h"

#include "profilers/simulator/cudart/launch_time.h"

#include <cstring>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

bool is_device(const DeviceMemory& memory, const void* pointer) {
  return memory.contains(address_of(pointer));
}

/// Host memory that CUDA does not know: it may change or go once a call returns.
bool is_pageable(const Runtime& runtime, const void* pointer) {
  if (is_device(runtime.memory, pointer)) return false;
  const auto at = runtime.registered.upper_bound(address_of(pointer));
  if (at == runtime.registered.begin()) return true;
  const auto& [start, bytes] = *std::prev(at);
  return address_of(pointer) - start >= bytes;
}

bool is_inside_allocation(const DeviceMemory& memory, const void* pointer, std::size_t bytes) {
  if (!is_device(memory, pointer)) return true;
  const Allocation* const allocation = memory.find(address_of(pointer));
  if (allocation == nullptr || !allocation->live) return false;
  const std::uint64_t offset = address_of(pointer) - allocation->address;
  return bytes <= allocation->bytes - offset;
}

/// Whether the box starts and ends inside one allocation, or lies in host memory.
template <class Pointer>
bool fits(const DeviceMemory& memory, const Plane<Pointer>& plane, const Box& box) {
  if (box.height > 1 && plane.row_pitch < box.width) return false;
  const Pointer last = plane.row(box.height - 1, box.depth - 1);
  const auto span = static_cast<std::size_t>(last - plane.data) + box.width;
  return is_inside_allocation(memory, plane.data, span);
}

bool kind_fits(const DeviceMemory& memory, const CopyRequest& request) {
  const bool to_device =
      request.kind == cudaMemcpyHostToDevice || request.kind == cudaMemcpyDeviceToDevice;
  const bool from_device =
      request.kind == cudaMemcpyDeviceToHost || request.kind == cudaMemcpyDeviceToDevice;
  if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) return false;
  return (!to_device || is_device(memory, request.to.data)) &&
         (!from_device || is_device(memory, request.from.data));
}

/// What was never written stays so: a copy must not hide it from the check.
void copy_written(DeviceMemory& memory, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  if (!memory.contains(from) || !memory.find_unwritten(from, bytes)) {
    memory.mark_written(to, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!memory.find_unwritten(from + i, 1)) memory.mark_written(to + i, 1);
  }
}

void copy_rows(DeviceMemory& memory, const CopyRequest& request) {
  for (std::size_t z = 0; z < request.box.depth; ++z) {
    for (std::size_t y = 0; y < request.box.height; ++y) {
      std::byte* to = request.to.row(y, z);
      const std::byte* from = request.from.row(y, z);
      const std::uint64_t to_address = address_of(to);
      const std::uint64_t from_address = address_of(from);
      if (is_device(memory, to)) to = memory.host(to_address);
      if (is_device(memory, from)) from = memory.host(from_address);
      std::memmove(to, from, request.box.width);
      if (memory.contains(to_address)) {
        copy_written(memory, to_address, from_address, request.box.width);
      }
    }
  }
}

/// The same copy from bytes that belong to it.
CopyRequest stage(const CopyRequest& request, std::vector<std::byte>& bytes) {
  bytes.resize(request.box.bytes());
  CopyRequest staged = request;
  staged.from = {bytes.data(), request.box.width, request.box.width * request.box.height};
  for (std::size_t z = 0; z < request.box.depth; ++z) {
    for (std::size_t y = 0; y < request.box.height; ++y) {
      std::memcpy(bytes.data() + (z * request.box.height + y) * request.box.width,
                  request.from.row(y, z), request.box.width);
    }
  }
  return staged;
}

void trace_copy(Runtime& runtime, const CopyRequest& request, cudaStream_t stream, bool waits) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::copy;
  call.address = address_of(request.to.data);
  call.from = address_of(request.from.data);
  call.bytes = request.box.bytes();
  call.stream = address_of(stream);
  call.async = !waits;
  trace_call(runtime, call);
}

void trace_fill(Runtime& runtime, const FillRequest& request, cudaStream_t stream, bool waits) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::fill;
  call.address = address_of(request.to.data);
  call.bytes = request.box.bytes();
  call.value = request.value;
  call.stream = address_of(stream);
  call.async = !waits;
  trace_call(runtime, call);
}

cudaError_t finish(Runtime& runtime, const Stamp& stamp, bool waits) {
  if (!waits) return cudaSuccess;
  runtime.streams.wait(stamp);
  return fault_after_waiting(runtime);
}

}  // namespace

CopyRequest line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return {{static_cast<std::byte*>(to), bytes, bytes},
          {static_cast<const std::byte*>(from), bytes, bytes},
          {bytes, 1, 1},
          kind};
}

cudaError_t copy(Runtime& runtime, const CopyRequest& request, cudaStream_t stream,
                 Waiting waiting) {
  const std::shared_ptr<Stream> queue = find_stream(runtime, stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  const bool nothing = request.box.bytes() == 0;
  bool waits = waiting == Waiting::until_done;
  bool takes_now = false;
  CopyPath path = CopyPath::device;
  if (!nothing) {
    const std::lock_guard lock(runtime.mutex);
    const DeviceMemory& memory = runtime.memory;
    if (!kind_fits(memory, request)) return cudaErrorInvalidValue;
    if (!fits(memory, request.to, request.box) || !fits(memory, request.from, request.box)) {
      return cudaErrorInvalidValue;
    }
    takes_now = !waits && is_pageable(runtime, request.from.data);
    waits = waits || is_pageable(runtime, request.to.data);
    const bool on_device =
        is_device(memory, request.to.data) && is_device(memory, request.from.data);
    path = on_device ? CopyPath::device : CopyPath::host;
    trace_copy(runtime, request, stream, waits);
  }
  auto bytes = std::make_shared<std::vector<std::byte>>();
  const bool staged = takes_now && !runtime.streams.is_free(*queue);
  const CopyRequest work = staged ? stage(request, *bytes) : request;
  const auto stamp = runtime.streams.submit(queue, [&runtime, work, bytes, path](double start_ns) {
    const std::lock_guard lock(runtime.mutex);
    if (runtime.fault() != cudaSuccess || work.box.bytes() == 0) return start_ns;
    copy_rows(runtime.memory, work);
    return start_ns + copy_ns(runtime.device, work.box.bytes(), path);
  });
  return finish(runtime, *stamp, waits);
}

cudaError_t fill(Runtime& runtime, const FillRequest& request, cudaStream_t stream,
                 Waiting waiting) {
  const std::shared_ptr<Stream> queue = find_stream(runtime, stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (request.box.bytes() > 0) {
    const std::lock_guard lock(runtime.mutex);
    if (!is_device(runtime.memory, request.to.data)) return cudaErrorInvalidValue;
    if (!fits(runtime.memory, request.to, request.box)) return cudaErrorInvalidValue;
    trace_fill(runtime, request, stream, waiting == Waiting::until_done);
  }
  const auto stamp = runtime.streams.submit(queue, [&runtime, request](double start_ns) {
    const std::lock_guard lock(runtime.mutex);
    const std::size_t total = request.box.bytes();
    if (runtime.fault() != cudaSuccess || total == 0) return start_ns;
    for (std::size_t z = 0; z < request.box.depth; ++z) {
      for (std::size_t y = 0; y < request.box.height; ++y) {
        const std::uint64_t row = address_of(request.to.row(y, z));
        std::memset(runtime.memory.host(row), request.value, request.box.width);
        runtime.memory.mark_written(row, request.box.width);
      }
    }
    return start_ns + fill_ns(runtime.device, total);
  });
  return finish(runtime, *stamp, waiting == Waiting::until_done);
}

}  // namespace warpmind::simulator
