#include <cuda_fp16.h>

extern "C" __global__ void gelu_bias(const __half* x, const __half* bias, __half* y, int rows,
                                     int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  float value = __half2float(x[i]) + __half2float(bias[i % columns]);
  float inner = 0.7978845608f * (value + 0.044715f * value * value * value);
  y[i] = __float2half(0.5f * value * (1.0f + tanhf(inner)));
}
