#include <cuda_fp16.h>

extern "C" __global__ void gemm_tiled(const __half* __restrict__ a, const __half* __restrict__ b,
                                      __half* __restrict__ c, int n, int k) {
  __shared__ __half left[32][32], right[32][32];
  int row = blockIdx.y * 32 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < k; t += 32) {
    left[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      sum += __half2float(left[threadIdx.y][i]) * __half2float(right[i][threadIdx.x]);
    }
    __syncthreads();
  }
  c[row * n + col] = __float2half(sum);
}
