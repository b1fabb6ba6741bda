#pragma once
/// \file
/// Owns a loaded cubin.

#include <memory>

#include <cuda_runtime_api.h>

namespace warpmind::validation {

struct LibraryDeleter {
  using pointer = cudaLibrary_t;
  void operator()(cudaLibrary_t library) const noexcept { (void)cudaLibraryUnload(library); }
};
using UniqueLibrary = std::unique_ptr<cudaLibrary_t, LibraryDeleter>;

}  // namespace warpmind::validation
