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

// Younger than CUDA 12.4. Older releases have neither the names nor, at first, these types.
#ifndef WARPMIND_HAS_CUDA_LIBRARY
#error "WARPMIND_HAS_CUDA_LIBRARY is 0 or 1, as cmake/Dependencies.cmake found"
#elif !WARPMIND_HAS_CUDA_LIBRARY
using cudaLibrary_t = struct CUlib_st*;
enum cudaJitOption : int {};
enum cudaLibraryOption : int {};
#endif
extern "C" {
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                                void** values, unsigned count, cudaLibraryOption* library_options,
                                void** library_values, unsigned library_count);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* name,
                                    cudaJitOption* options, void** values, unsigned count,
                                    cudaLibraryOption* library_options, void** library_values,
                                    unsigned library_count);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name);
cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library,
                                 const char* name);
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute which, int value,
                                            int device);
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
#pragma GCC visibility pop

/// A program compiled with --default-stream per-thread calls NAME_ptsz or NAME_ptds. They order
/// more than they must: the default stream of a thread is the process's.
#define WARPMIND_PER_THREAD(name, suffix) \
  extern "C" __attribute__((alias(#name), visibility("default"))) decltype(name) name##suffix
