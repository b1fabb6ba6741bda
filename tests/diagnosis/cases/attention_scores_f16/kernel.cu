#include <cuda_fp16.h>

extern "C" __global__ void scores(const __half* __restrict__ q, const __half* __restrict__ keys,
                                  __half* __restrict__ s, int length) {
  __shared__ float left[32][64], right[32][65];
  const __half* pq = q + ((size_t)blockIdx.z * length + blockIdx.y * 32) * 64;
  const __half* pk = keys + ((size_t)blockIdx.z * length + blockIdx.x * 32) * 64;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 2048; i += 256) {
    left[i / 64][i % 64] = __half2float(pq[i]);
    right[i / 64][i % 64] = __half2float(pk[i]);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    int row = threadIdx.y + 8 * j;
    float sum = 0.0f;
#pragma unroll 16
    for (int d = 0; d < 64; ++d) sum += left[row][d] * right[threadIdx.x][d];
    s[((size_t)blockIdx.z * length + blockIdx.y * 32 + row) * length + blockIdx.x * 32 +
      threadIdx.x] = __float2half(sum * 0.125f);
  }
}
