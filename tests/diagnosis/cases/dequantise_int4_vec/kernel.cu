#include <cuda_fp16.h>

union Eight {
  uint4 bits;
  __half2 pair[4];
};

extern "C" __global__ void dequantise(const unsigned* __restrict__ packed,
                                      const float* __restrict__ scale, uint4* __restrict__ y,
                                      int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups * 16) return;
  unsigned w = packed[i];
  float s = scale[i / 16];
  Eight out;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    int low = (int)(w >> 8 * k & 15) - 8, high = (int)(w >> (8 * k + 4) & 15) - 8;
    out.pair[k] = __floats2half2_rn(low * s, high * s);
  }
  y[i] = out.bits;
}
