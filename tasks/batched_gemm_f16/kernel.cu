#include <cuda_fp16.h>

extern "C" __global__ void batched_gemm(const __half* a, const __half* b, __half* c, int m, int n,
                                        int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int batch = blockIdx.z;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum += __half2float(a[(batch * m + row) * k + i]) *
           __half2float(b[(batch * k + i) * n + column]);
  }
  c[(batch * m + row) * n + column] = __float2half(sum);
}
