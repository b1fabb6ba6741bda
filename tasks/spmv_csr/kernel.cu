extern "C" __global__ void spmv(const int* shift, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int begin = 16 * row + shift[row];
  int end = 16 * (row + 1) + shift[row + 1];
  float sum = 0.0f;
  for (int i = begin; i < end; ++i) {
    sum += values[i] * x[columns[i]];
  }
  y[row] = sum;
}
