/// \file
/// cudaMemcpy*, cudaMemset*.

#include "profilers/simulator/cudart/copies.h"

namespace warpmind::simulator {
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
