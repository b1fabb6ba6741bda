#include <cuda_fp16.h>

union Pack {
  uint4 bits;
  __half2 pair[4];
};

extern "C" __global__ void rmsnorm_block(const uint4* __restrict__ x,
                                         const uint4* __restrict__ gain, uint4* __restrict__ y) {
  __shared__ float part[8];
  const uint4* row = x + (size_t)blockIdx.x * 512;
  Pack v[2];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    v[k].bits = row[threadIdx.x + 256 * k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float2 f = __half22float2(v[k].pair[j]);
      squares += f.x * f.x + f.y * f.y;
    }
  }
  for (int d = 16; d > 0; d >>= 1) squares += __shfl_xor_sync(~0u, squares, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int w = 0; w < 8; ++w) total += part[w];
  float scale = rsqrtf(total / 4096.0f + 1e-5f);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    Pack g, out;
    g.bits = gain[threadIdx.x + 256 * k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float2 f = __half22float2(v[k].pair[j]);
      float2 s = __half22float2(g.pair[j]);
      out.pair[j] = __floats2half2_rn(f.x * scale * s.x, f.y * scale * s.y);
    }
    y[(size_t)blockIdx.x * 512 + threadIdx.x + 256 * k] = out.bits;
  }
}
