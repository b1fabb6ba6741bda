#include <cuda_fp16.h>

extern "C" __global__ void decode(const __half* __restrict__ q, const __half* __restrict__ keys,
                                  const __half* __restrict__ values, __half* __restrict__ y,
                                  int length) {
  __shared__ float tops[8], sums[8], parts[8][128];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  size_t base = (size_t)blockIdx.x * length * 128;
  float2 q0 = __half22float2(((const __half2*)(q + blockIdx.x * 128))[lane]);
  float2 q1 = __half22float2(((const __half2*)(q + blockIdx.x * 128))[lane + 32]);
  float top = -1e30f, sum = 0.0f;
  float4 acc = make_float4(0, 0, 0, 0);
  for (int t = warp; t < length; t += 8) {
    const __half2* k = (const __half2*)(keys + base + (size_t)t * 128);
    const __half2* v = (const __half2*)(values + base + (size_t)t * 128);
    float2 k0 = __half22float2(k[lane]), k1 = __half22float2(k[lane + 32]);
    float2 v0 = __half22float2(v[lane]), v1 = __half22float2(v[lane + 32]);
    float s = q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y;
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    s *= 0.0883883f;
    float next = fmaxf(top, s);
    float keep = __expf(top - next), p = __expf(s - next);
    top = next;
    sum = sum * keep + p;
    acc.x = acc.x * keep + p * v0.x;
    acc.y = acc.y * keep + p * v0.y;
    acc.z = acc.z * keep + p * v1.x;
    acc.w = acc.w * keep + p * v1.y;
  }
  if (lane == 0) {
    tops[warp] = top;
    sums[warp] = sum;
  }
  parts[warp][2 * lane] = acc.x;
  parts[warp][2 * lane + 1] = acc.y;
  parts[warp][64 + 2 * lane] = acc.z;
  parts[warp][64 + 2 * lane + 1] = acc.w;
  __syncthreads();
  if (threadIdx.x >= 128) return;
  float highest = -1e30f, total = 0.0f, out = 0.0f;
  for (int w = 0; w < 8; ++w) highest = fmaxf(highest, tops[w]);
  for (int w = 0; w < 8; ++w) {
    float f = __expf(tops[w] - highest);
    total += f * sums[w];
    out += f * parts[w][threadIdx.x];
  }
  y[blockIdx.x * 128 + threadIdx.x] = __float2half(out / total);
}
