#pragma once
/// \file
/// Copies and fills between host and simulated device memory.

#include "profilers/simulator/cudart/runtime.h"

#include <cstddef>

namespace warpmind::simulator {

/// A box of bytes: `depth` slices of `height` rows of `width` bytes.
struct Box {
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;

  [[nodiscard]] std::size_t bytes() const { return width * height * depth; }
};

/// Where a box lies; pitches in bytes.
template <class Pointer>
struct Plane {
  Pointer data = nullptr;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;

  [[nodiscard]] Pointer row(std::size_t y, std::size_t z) const {
    return data + y * row_pitch + z * slice_pitch;
  }
};

struct CopyRequest {
  Plane<std::byte*> to;
  Plane<const std::byte*> from;
  Box box;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

enum class Waiting : bool { returns_at_once, until_done };

/// Submits the copy. cudaErrorInvalidValue where a device range is not inside one live allocation
/// or `kind` contradicts the pointers. From pageable host memory that the stream cannot read at
/// once, the bytes are taken now; a copy into pageable memory is waited for, as CUDA does.
[[nodiscard]] cudaError_t copy(Runtime& runtime, const CopyRequest& request, cudaStream_t stream,
                               Waiting waiting);

struct FillRequest {
  Plane<std::byte*> to;
  Box box;
  int value = 0;
};
[[nodiscard]] cudaError_t fill(Runtime& runtime, const FillRequest& request, cudaStream_t stream,
                               Waiting waiting);

/// A one-dimensional copy.
[[nodiscard]] CopyRequest line_copy(void* to, const void* from, std::size_t bytes,
                                    cudaMemcpyKind kind);

}  // namespace warpmind::simulator
