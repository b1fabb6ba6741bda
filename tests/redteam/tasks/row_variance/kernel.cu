#include <cuda_fp16.h>

extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half2float(x[row * columns + c]);
  float mean = sum / columns;
  float squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(x[row * columns + c]) - mean;
    squares += d * d;
  }
  variance[row] = squares / columns;
}
