extern "C" __global__ void variances(const float* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = x[row * columns + c] + 8.0f;
    sum += v;
    squares += v * v;
  }
  float mean = sum / columns;
  variance[row] = squares / columns - mean * mean;
}
