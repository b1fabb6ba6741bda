#include <cuda_fp16.h>

extern "C" __global__ void rms_norm(const __half* x, __half* y, int images, int channels, int size) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= images * size) return;
  const int base = at / size * channels * size + at % size;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    const float value = __half2float(x[base + c * size]);
    sum += value * value;
  }
  const float inverse = rsqrtf(sum / channels + 1e-5f);
  for (int c = 0; c < channels; ++c) {
    y[base + c * size] = __float2half(__half2float(x[base + c * size]) * inverse);
  }
}
