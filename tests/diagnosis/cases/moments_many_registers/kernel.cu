#include <cuda_fp16.h>

extern "C" __global__ void moments(const __half* __restrict__ x, float* __restrict__ y, int n,
                                   int threads) {
  int t = blockIdx.x * 192 + threadIdx.x;
  float sum[105] = {};
#pragma unroll 1
  for (int i = t; i < n; i += threads) {
    float v[14];
#pragma unroll
    for (int f = 0; f < 14; ++f) v[f] = __half2float(x[(size_t)f * n + i]);
    int k = 0;
#pragma unroll
    for (int a = 0; a < 14; ++a) {
#pragma unroll
      for (int b = 0; b <= a; ++b) sum[k++] += v[a] * v[b];
    }
  }
#pragma unroll
  for (int k = 0; k < 105; ++k) y[(size_t)k * threads + t] = sum[k];
}
