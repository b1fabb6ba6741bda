extern "C" __global__ void spmv(const int* lengths, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < lengths[row]; ++i) {
    sum += values[row * 32 + i] * x[columns[row * 32 + i]];
  }
  y[row] = sum;
}
