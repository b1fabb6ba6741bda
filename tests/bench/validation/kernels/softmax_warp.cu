// One warp a row, VECTOR halves a load. The row is read three times.
#include "vectors.cuh"

extern "C" __global__ void softmax(const __half* x, __half* y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const __half* in = x + static_cast<size_t>(row) * columns;
  __half* out = y + static_cast<size_t>(row) * columns;

  float values[VECTOR];
  float largest = -65504.0f;
  for (int i = lane * VECTOR; i < columns; i += 32 * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) largest = fmaxf(largest, values[j]);
  }
  largest = warp_max(largest);
  float sum = 0.0f;
  for (int i = lane * VECTOR; i < columns; i += 32 * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) sum += __expf(values[j] - largest);
  }
  float scale = 1.0f / warp_sum(sum);
  for (int i = lane * VECTOR; i < columns; i += 32 * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[j] = __expf(values[j] - largest) * scale;
    store_halves(out + i, values);
  }
}
