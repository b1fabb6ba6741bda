#pragma once
/// \file
/// Owners of the CUDA runtime's handles, and its error codes as Error. Nothing else here destroys.

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

namespace warpmind::profilers {

/// "cudaErrorInvalidValue (invalid argument) at WHERE".
[[nodiscard]] inline Error cuda_error(cudaError_t code, std::string_view where) {
  return {Errc::external_failure, std::string(cudaGetErrorName(code)) + " (" +
                                      cudaGetErrorString(code) + ") at " + std::string(where)};
}

/// Ends the error state that is not sticky, so that the next call reports its own.
[[nodiscard]] inline Result<void> cuda_check(cudaError_t code, std::string_view where) {
  if (code == cudaSuccess) return {};
  (void)cudaGetLastError();
  return fail(cuda_error(code, where));
}

/// Whether the context is unusable from now on (illegal address, assert, …).
[[nodiscard]] inline bool context_is_lost() {
  (void)cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

struct StreamDeleter {
  using pointer = cudaStream_t;
  void operator()(cudaStream_t stream) const noexcept { (void)cudaStreamDestroy(stream); }
};
using UniqueStream = std::unique_ptr<cudaStream_t, StreamDeleter>;

struct EventDeleter {
  using pointer = cudaEvent_t;
  void operator()(cudaEvent_t event) const noexcept { (void)cudaEventDestroy(event); }
};
using UniqueEvent = std::unique_ptr<cudaEvent_t, EventDeleter>;

struct DeviceFree {
  void operator()(std::byte* memory) const noexcept { (void)cudaFree(memory); }
};
using UniqueDeviceMemory = std::unique_ptr<std::byte, DeviceFree>;

[[nodiscard]] inline Result<UniqueStream> make_stream() {
  cudaStream_t stream = nullptr;
  WARPMIND_CHECK(
      cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream"));
  return UniqueStream(stream);
}

[[nodiscard]] inline Result<UniqueEvent> make_event() {
  cudaEvent_t event = nullptr;
  WARPMIND_CHECK(cuda_check(cudaEventCreate(&event), "creating an event"));
  return UniqueEvent(event);
}

[[nodiscard]] inline Result<UniqueDeviceMemory> allocate_device(std::size_t bytes,
                                                                std::string_view what) {
  void* memory = nullptr;
  WARPMIND_CHECK(cuda_check(cudaMalloc(&memory, bytes), "allocating " + std::to_string(bytes) +
                                                            " bytes for " + std::string(what)));
  return UniqueDeviceMemory(static_cast<std::byte*>(memory));
}

}  // namespace warpmind::profilers
