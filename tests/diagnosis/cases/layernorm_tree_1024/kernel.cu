#include <cuda_fp16.h>

__device__ float tree_sum(float* part, float v) {
  part[threadIdx.x] = v;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  float sum = part[0];
  __syncthreads();
  return sum;
}

extern "C" __global__ void layernorm_tree(const __half* __restrict__ x, __half* __restrict__ y) {
  __shared__ float part[1024];
  size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;
  float v = __half2float(x[i]);
  float d = v - tree_sum(part, v) / 1024.0f;
  float variance = tree_sum(part, d * d) / 1024.0f;
  y[i] = __float2half(d * rsqrtf(variance + 1e-5f));
}
