// Row 17: an answer that does not look at its inputs.

//@ case zeros
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = 0.0f;
}

//@ case copies_an_input
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i];
}

//@ case the_mean_of_a_softmax
//@ task row_softmax_f16
//@ expect wrong
#include <cuda_fp16.h>

extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c < columns; ++c) y[row * columns + c] = __float2half(1.0f / columns);
}
