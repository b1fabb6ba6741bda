// Each thread turns a 4 by 4 patch in registers with 16-byte loads and stores.
#include "vectors.cuh"

extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (row >= rows || column >= columns) return;
  float patch[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    load_floats(input + static_cast<size_t>(row + i) * columns + column, patch[i]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float turned[4] = {patch[0][i], patch[1][i], patch[2][i], patch[3][i]};
    store_floats(output + static_cast<size_t>(column + i) * rows + row, turned);
  }
}
