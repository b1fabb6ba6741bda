#include <cuda_fp16.h>

extern "C" __global__ void batched_gemm(const __half* __restrict__ a, const __half* __restrict__ b,
                                        __half* __restrict__ c) {
  __shared__ __align__(16) __half left[64][64];
  __shared__ __align__(16) __half right[64][64];
  size_t base = (size_t)blockIdx.x * 4096;
  for (int i = threadIdx.x; i < 512; i += 256) {
    ((uint4*)left)[i] = ((const uint4*)(a + base))[i];
    ((uint4*)right)[i] = ((const uint4*)(b + base))[i];
  }
  __syncthreads();
  int col = threadIdx.x % 64, first = threadIdx.x / 64;
  for (int row = first; row < 64; row += 4) {
    float sum = 0.0f;
#pragma unroll 16
    for (int i = 0; i < 64; ++i) sum += __half2float(left[row][i]) * __half2float(right[i][col]);
    c[base + row * 64 + col] = __float2half(sum);
  }
}
