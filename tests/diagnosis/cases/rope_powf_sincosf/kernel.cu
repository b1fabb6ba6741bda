#include <cuda_fp16.h>

extern "C" __global__ void rope(const __half2* __restrict__ x, __half2* __restrict__ y) {
  int pair = threadIdx.x;
  int head = blockIdx.y * 4 + threadIdx.y;
  size_t i = ((size_t)blockIdx.x * 32 + head) * 64 + pair;
  float frequency = powf(10000.0f, -pair / 64.0f);
  float sine, cosine;
  sincosf(blockIdx.x * frequency, &sine, &cosine);
  float2 v = __half22float2(x[i]);
  y[i] = __floats2half2_rn(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
}
