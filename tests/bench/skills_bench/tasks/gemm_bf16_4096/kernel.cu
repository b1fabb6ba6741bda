#include <cuda_bf16.h>

extern "C" __global__ void gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                                int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[i * n + column]);
  }
  c[row * n + column] = __float2bfloat16(sum);
}
