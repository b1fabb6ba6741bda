// CHAINS chains of f16x2 fused multiply-adds a thread.
#include <cuda_fp16.h>

extern "C" __global__ void math(const __half2* x, __half2* y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half2 factor = __float2half2_rn(0.5f);
  const __half2 addend = __float2half2_rn(0.25f);
  __half2 chains[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) chains[c] = __hadd2(x[i], __float2half2_rn(c));
  for (int step = 0; step < steps; step += CHAINS) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) chains[c] = __hfma2(chains[c], factor, addend);
  }
  __half2 sum = chains[0];
#pragma unroll
  for (int c = 1; c < CHAINS; ++c) sum = __hadd2(sum, chains[c]);
  y[i] = sum;
}
