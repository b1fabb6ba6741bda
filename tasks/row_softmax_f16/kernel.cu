#include <cuda_fp16.h>

extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  float largest = __half2float(x[row * columns]);
  for (int i = 1; i < columns; ++i) {
    largest = fmaxf(largest, __half2float(x[row * columns + i]));
  }
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) {
    sum += expf(__half2float(x[row * columns + i]) - largest);
  }
  for (int i = 0; i < columns; ++i) {
    y[row * columns + i] = __float2half(expf(__half2float(x[row * columns + i]) - largest) / sum);
  }
}
