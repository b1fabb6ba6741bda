#include <cuda_bf16.h>

extern "C" __global__ void gemm_registers(const __nv_bfloat16* __restrict__ a,
                                          const __nv_bfloat16* __restrict__ b,
                                          __nv_bfloat16* __restrict__ c, int n, int k) {
  __shared__ __align__(16) float left[16][68];
  __shared__ __align__(16) float right[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float acc[4][4] = {};
  for (int s = 0; s < k; s += 16) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int e = t + 256 * j;
      left[e % 16][e / 16] =
          __bfloat162float(a[(size_t)(blockIdx.y * 64 + e / 16) * k + s + e % 16]);
      right[e / 64][e % 64] =
          __bfloat162float(b[(size_t)(s + e / 64) * n + blockIdx.x * 64 + e % 64]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float4 p = *(float4*)&left[i][ty * 4], q = *(float4*)&right[i][tx * 4];
      float u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
      for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) acc[y][x] = fmaf(u[y], v[x], acc[y][x]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < 4; ++y) {
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      c[(size_t)(blockIdx.y * 64 + ty * 4 + y) * n + blockIdx.x * 64 + tx * 4 + x] =
          __float2bfloat16(acc[y][x]);
    }
  }
}
