extern "C" __global__ void spmv(const int* __restrict__ shift, const int* __restrict__ column,
                                const float* __restrict__ value, const float* __restrict__ x,
                                float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int begin = 32 * row + shift[row], end = 32 * (row + 1) + shift[row + 1];
  float sum = 0.0f;
  for (int i = begin; i < end; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}
