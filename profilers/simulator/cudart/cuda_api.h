#pragma once
/// \file
/// The CUDA runtime's declarations, with default visibility: their definitions are what this
/// library exports. Everything else in it is hidden.

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>

// What the code that nvcc generates calls: crt/host_runtime.h of CUDA 12 and 13, which cannot be
// included here because it also defines.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the names are CUDA's
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* tid, uint3* bid, dim3* block, dim3* grid,
                            int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int is_extern,
                       std::size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name,
                              int is_extern, std::size_t bytes, int is_constant, int is_global);
void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t bytes);
void __cudaRegisterTexture(void** handle, const void* host, const void** device, const char* name,
                           int dimensions, int is_normalised, int is_extern);
void __cudaRegisterSurface(void** handle, const void* host, const void** device, const char* name,
                           int dimensions, int is_extern);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
#pragma GCC visibility pop

/// A program compiled with --default-stream per-thread calls NAME_ptsz or NAME_ptds. They order
/// more than they must: the default stream of a thread is the process's.
#define WARPMIND_PER_THREAD(name, suffix) \
  extern "C" __attribute__((alias(#name), visibility("default"))) decltype(name) name##suffix
