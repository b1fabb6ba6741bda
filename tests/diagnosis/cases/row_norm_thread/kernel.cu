extern "C" __global__ void row_norm(const float* __restrict__ x, float* __restrict__ y, int rows,
                                    int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = x[(size_t)row * columns + c];
    sum += v * v;
  }
  y[row] = sqrtf(sum);
}
