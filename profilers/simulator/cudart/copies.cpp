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

// cudaMemcpy*, cudaMemset*.

namespace {

CopyRequest plane_copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, Box box,
                       cudaMemcpyKind kind) {
  return {{static_cast<std::byte*>(to), to_pitch, to_pitch * box.height},
          {static_cast<const std::byte*>(from), from_pitch, from_pitch * box.height},
          box,
          kind};
}

std::byte* corner(const cudaPitchedPtr& at, const cudaPos& position) {
  return static_cast<std::byte*>(at.ptr) + position.x + position.y * at.pitch +
         position.z * at.pitch * at.ysize;
}

cudaError_t copy_volume(Runtime& runtime, const cudaMemcpy3DParms* p, cudaStream_t stream,
                        Waiting waiting) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->srcArray != nullptr || p->dstArray != nullptr) {
    say_once("cudaMemcpy3D: CUDA arrays are not supported by the simulator");
    return cudaErrorNotSupported;
  }
  const Box box{p->extent.width, p->extent.height, p->extent.depth};
  const CopyRequest request{
      {corner(p->dstPtr, p->dstPos), p->dstPtr.pitch, p->dstPtr.pitch * p->dstPtr.ysize},
      {corner(p->srcPtr, p->srcPos), p->srcPtr.pitch, p->srcPtr.pitch * p->srcPtr.ysize},
      box,
      p->kind};
  return copy(runtime, request, stream, waiting);
}

FillRequest line_fill(void* to, int value, size_t bytes) {
  return {{static_cast<std::byte*>(to), bytes, bytes}, {bytes, 1, 1}, value};
}
FillRequest volume_fill(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  return {{static_cast<std::byte*>(to.ptr), to.pitch, to.pitch * to.ysize},
          {extent.width, extent.height, extent.depth},
          value};
}

constexpr Waiting kWait = Waiting::until_done;
constexpr Waiting kGoOn = Waiting::returns_at_once;

// Variables of device code: copies to and from them, their addresses.

cudaError_t find_variable(Runtime& runtime, const void* symbol, DeviceVariable& out) {
  const std::lock_guard lock(runtime.mutex);
  const KernelModules& modules = process().modules;
  const KernelModules::Variable* const known = modules.variable(symbol);
  if (known == nullptr) {
    const std::string* const refused = modules.refused(symbol);
    if (refused == nullptr) return cudaErrorInvalidSymbol;
    say_once(*refused);
    return cudaErrorNotSupported;
  }
  const auto module = known->module->compiled(runtime.memory, runtime.capability());
  if (!module) return refuse(module.error());
  const auto found = known->module->variable(known->name, runtime.memory, runtime.capability());
  if (!found) return cudaErrorInvalidSymbol;
  out = *found;
  return cudaSuccess;
}

/// Part of a variable.
struct SymbolRange {
  const void* symbol = nullptr;
  std::size_t bytes = 0;
  std::size_t offset = 0;
};

/// The device address of a range, if the variable is that large.
cudaError_t place_in(Runtime& runtime, const SymbolRange& range, void*& out) {
  const auto [symbol, bytes, offset] = range;
  DeviceVariable variable;
  const auto code = find_variable(runtime, symbol, variable);
  if (code != cudaSuccess) return code;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return cudaErrorInvalidValue;
  out = reinterpret_cast<void*>(variable.address + offset);  // NOLINT(performance-no-int-to-ptr)
  return cudaSuccess;
}

cudaError_t copy_to(const SymbolRange& range, const void* from, cudaMemcpyKind kind,
                    cudaStream_t stream, Waiting waiting) {
  return with_runtime([&](Runtime& rt) {
    void* to = nullptr;
    const auto code = place_in(rt, range, to);
    return code != cudaSuccess ? code
                               : copy(rt, line_copy(to, from, range.bytes, kind), stream, waiting);
  });
}

cudaError_t copy_from(void* to, const SymbolRange& range, cudaMemcpyKind kind, cudaStream_t stream,
                      Waiting waiting) {
  return with_runtime([&](Runtime& rt) {
    void* from = nullptr;
    const auto code = place_in(rt, range, from);
    return code != cudaSuccess ? code
                               : copy(rt, line_copy(to, from, range.bytes, kind), stream, waiting);
  });
}

}  // namespace

}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return with_runtime(
      [&](Runtime& rt) { return copy(rt, line_copy(to, from, bytes, kind), nullptr, kWait); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return with_runtime(
      [&](Runtime& rt) { return copy(rt, line_copy(to, from, bytes, kind), stream, kGoOn); });
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return with_runtime([&](Runtime& rt) {
    return copy(rt, plane_copy(to, to_pitch, from, from_pitch, {width, height, 1}, kind), nullptr,
                kWait);
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return copy(rt, plane_copy(to, to_pitch, from, from_pitch, {width, height, 1}, kind), stream,
                kGoOn);
  });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return with_runtime([&](Runtime& rt) { return copy_volume(rt, parameters, nullptr, kWait); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) { return copy_volume(rt, parameters, stream, kGoOn); });
}

// cudaMemset returns before device memory is filled; since the work runs at once, nobody can tell.
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return with_runtime(
      [&](Runtime& rt) { return fill(rt, line_fill(to, value, bytes), nullptr, kGoOn); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return with_runtime(
      [&](Runtime& rt) { return fill(rt, line_fill(to, value, bytes), stream, kGoOn); });
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    const FillRequest request{
        {static_cast<std::byte*>(to), pitch, pitch * height}, {width, height, 1}, value};
    return fill(rt, request, stream, kGoOn);
  });
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return with_runtime(
      [&](Runtime& rt) { return fill(rt, volume_fill(to, value, extent), stream, kGoOn); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaMemcpy, _ptds);
WARPMIND_PER_THREAD(cudaMemcpyAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemcpy2D, _ptds);
WARPMIND_PER_THREAD(cudaMemcpy2DAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemcpy3D, _ptds);
WARPMIND_PER_THREAD(cudaMemcpy3DAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemset, _ptds);
WARPMIND_PER_THREAD(cudaMemsetAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemset2D, _ptds);
WARPMIND_PER_THREAD(cudaMemset2DAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemset3D, _ptds);
WARPMIND_PER_THREAD(cudaMemset3DAsync, _ptsz);

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to({symbol, bytes, offset}, from, kind, nullptr, Waiting::until_done);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to({symbol, bytes, offset}, from, kind, stream, Waiting::returns_at_once);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from(to, {symbol, bytes, offset}, kind, nullptr, Waiting::until_done);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from(to, {symbol, bytes, offset}, kind, stream, Waiting::returns_at_once);
}
cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  return with_runtime([&](Runtime& rt) {
    return out == nullptr ? cudaErrorInvalidValue : place_in(rt, {symbol, 0, 0}, *out);
  });
}
cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
  return with_runtime([&](Runtime& rt) {
    DeviceVariable variable;
    if (out == nullptr) return cudaErrorInvalidValue;
    const auto code = find_variable(rt, symbol, variable);
    if (code == cudaSuccess) *out = variable.bytes;
    return code;
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaMemcpyToSymbol, _ptds);
WARPMIND_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
WARPMIND_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
