#include <cuda_fp16.h>

extern "C" __global__ void max_pool(const __half* x, __half* y, int planes, int height, int width) {
  int rows = height / 2;
  int columns = width / 2;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * rows * columns) return;
  int column = i % columns;
  int row = i / columns % rows;
  int plane = i / (columns * rows);
  float best = -INFINITY;
  for (int dy = 0; dy < 3; ++dy) {
    for (int dx = 0; dx < 3; ++dx) {
      int from_row = row * 2 + dy - 1;
      int from_column = column * 2 + dx - 1;
      if (from_row >= 0 && from_row < height && from_column >= 0 && from_column < width) {
        best = fmaxf(best, __half2float(x[(plane * height + from_row) * width + from_column]));
      }
    }
  }
  y[i] = __float2half(best);
}
