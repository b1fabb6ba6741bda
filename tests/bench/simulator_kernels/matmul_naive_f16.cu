// c = a b of n x n matrices, one element a thread.
#include <cuda_fp16.h>

extern "C" __global__ void matmul_naive_f16(const __half* a, const __half* b, __half* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += __half2float(a[row * n + k]) * __half2float(b[k * n + column]);
  }
  c[row * n + column] = __float2half(sum);
}
