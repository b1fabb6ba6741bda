// One thread sums VECTOR columns over a slice of the rows, UNROLL loads in flight. With several
// slices (grid y) the slices meet in atomic additions; `sums` starts at zero.
#include "vectors.cuh"

extern "C" __global__ void column_sum(const float* x, float* sums, int rows, int columns) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * VECTOR;
  if (column >= columns) return;
  int slice = rows / gridDim.y;
  int first = blockIdx.y * slice;

  float totals[VECTOR] = {};
  for (int row = first; row < first + slice; row += UNROLL) {
    float values[UNROLL][VECTOR];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      load_floats(x + static_cast<size_t>(row + i) * columns + column, values[i]);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) totals[j] += values[i][j];
    }
  }
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) {
    if (gridDim.y == 1) {
      sums[column + j] = totals[j];
    } else {
      atomicAdd(sums + column + j, totals[j]);
    }
  }
}
