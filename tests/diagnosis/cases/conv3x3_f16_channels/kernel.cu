#include <cuda_fp16.h>

extern "C" __global__ void conv3x3(const __half* __restrict__ x, const __half* __restrict__ weight,
                                   __half* __restrict__ y) {
  int out = threadIdx.x;
  int row = blockIdx.x;
  size_t image = blockIdx.y;
  for (int col = threadIdx.y; col < 56; col += 4) {
    float sum = 0.0f;
    for (int tap = 0; tap < 9; ++tap) {
      const __half* in = x + ((image * 58 + row + tap / 3) * 58 + col + tap % 3) * 64;
      const __half* w = weight + tap * 4096 + out;
#pragma unroll 16
      for (int c = 0; c < 64; ++c) sum += __half2float(in[c]) * __half2float(w[c * 64]);
    }
    y[((image * 56 + row) * 56 + col) * 64 + out] = __float2half(sum);
  }
}
