#include <cuda_fp16.h>

extern "C" __global__ void gemm(const __half* __restrict__ a, const __half* __restrict__ b,
                                __half* __restrict__ c, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= n || row >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);
  c[row * n + col] = __float2half(sum);
}
