#pragma once
/// \file
/// Logs as compute-sanitizer prints them, by release; written by hand in the tool's format.

namespace warpmind::profilers::logs {

/// 2023 to 2025: function first, then file and line.
inline constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at scale(const float *, float *, int)+0x90 in /job/kernel.cu:7
=========     by thread (255,0,0) in block (3,0,0)
=========     Access to 0x7f2a4a001000 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2a4a000000 of size 4096 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cudaLaunchKernel [0x7a2b] in libcudart.so.13
========= 
========= Invalid __global__ read of size 4 bytes
=========     at scale(const float *, float *, int)+0x90 in /job/kernel.cu:7
=========     by thread (254,0,0) in block (3,0,0)
=========     Access to 0x7f2a4a000ffd is misaligned
========= 
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaDeviceSynchronize.
=========     Saved host backtrace up to driver entry point at error
========= 
========= ERROR SUMMARY: 3 errors
)";

/// 2025.3: a cp.async of 16 bytes of which 8 are read, at the last 8 bytes of an allocation.
inline constexpr const char* kPartlyFilledCopy = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at wm_copy_unit(unsigned int, const void *, unsigned int)+0x1400 in /job/kernel.cu:167
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x7f2a4a000010 is out of bounds
=========     and is inside the nearest allocation at 0x7f2a4a000000 of size 24 bytes
=========     Device Frame:gemm(const __half *, const __half *, __half *)+0x1400 in /job/kernel.cu:301
=========
========= ERROR SUMMARY: 1 error
)";

/// 2022: "Address … is out of bounds", frames of libraries over two lines.
inline constexpr const char* kMemcheck2022 = R"(========= COMPUTE-SANITIZER
========= Invalid __shared__ write of size 16 bytes
=========     at copy_tile(void *, const void *)+0x390 in tile.cuh:97
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x82 is misaligned
=========     Device Frame:attention_kernel(const float4 *)+0x310 in kernel.cu:214
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame: [0x2dcdbf]
=========                in /usr/lib/x86_64-linux-gnu/libcuda.so.1
=========
========= ERROR SUMMARY: 1 error
)";

/// 2020 and 2021: offset first.
inline constexpr const char* kMemcheck2021 = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 8 bytes
=========     at 0x160 in kernel.cu:6:void fill<(int)2>(double *)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7fb6d7c00001 is misaligned
=========
========= ERROR SUMMARY: 1 error
)";

/// Without line information.
inline constexpr const char* kNoLines = R"(========= COMPUTE-SANITIZER
========= Invalid __local__ read of size 4 bytes
=========     at walk(int *)+0x4bd0
=========     by thread (16,0,0) in block (0,0,0)
=========     Access at 0x0 is out of bounds
========= ERROR SUMMARY: 1 error
)";

inline constexpr const char* kRacecheck = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at reduce(const float *, float *)+0xf0 in kernel.cu:12
=========     and Read access at reduce(const float *, float *)+0xd0 in kernel.cu:15 [32 hazards]
=========     and Write access at reduce(const float *, float *)+0xf0 in kernel.cu:12 [4 hazards]
========= 
========= Warning: Race reported between Write access at reduce(const float *, float *)+0x200 in kernel.cu:30
=========     and Read access at reduce(const float *, float *)+0x210 in kernel.cu:31 [2 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)";

/// Long names: the tool breaks the line behind "access at".
inline constexpr const char* kRacecheckWrapped = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at
=========     sum(float *)+0xb0 in kernel.cu:28
=========     and Read access at
=========     sum(float *)+0xc0 in kernel.cu:30
=========     [1024 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

/// cuda-memcheck's heir in its first releases.
inline constexpr const char* kRacecheck2020 = R"(========= CUDA-MEMCHECK
========= WARN: Race reported between Read access at 0x00000170 in ./race.cu:4:test(int*, int*)
=========     and Write access at 0x00000148 in ./race.cu:3:test(int*, int*) [4 hazards]
=========
========= ERROR: Race reported between Write access at 0x00000148 in ./race.cu:3:test(int*, int*)
=========     and Write access at 0x00000148 in ./race.cu:3:test(int*, int*) [124 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)";

inline constexpr const char* kInitcheck = R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at add(int *)+0x70 in kernel.cu:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= Host API memory access error at host access to 0x7f3c7ec00000 of size 400 bytes
=========     Uninitialized access at 0x7f3c7ec00190 on access by cudaMemcpy source.
=========
========= ERROR SUMMARY: 2 errors
)";

inline constexpr const char* kSynccheck = R"(========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at half(int *)+0xa0 in kernel.cu:61
=========     by thread (19,0,0) in block (0,0,0)
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0x1754] in program
=========
========= Barrier error detected. Divergent thread(s) in block.
=========     at half(int *)+0xa0 in kernel.cu:61
=========     by thread (20,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 2 errors
)";

/// The driver is asked for functions that it lacks: nothing of the kernel.
inline constexpr const char* kClean = R"(========= COMPUTE-SANITIZER
a line that the program wrote: ========= Invalid __global__ write of size 4 bytes
========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuGetProcAddress_v2.
=========     Saved host backtrace up to driver entry point at error
=========
========= Leaked 4092 bytes at 0x7b95b4000000
=========     Saved host backtrace up to driver entry point at allocation time
=========
========= LEAK SUMMARY: 4092 bytes leaked in 1 allocations
========= ERROR SUMMARY: 0 errors
)";

inline constexpr const char* kDidNotStart = R"(========= COMPUTE-SANITIZER
========= Error: Target application terminated before first instrumented API call
========= Target application returned an error
)";

}  // namespace warpmind::profilers::logs
