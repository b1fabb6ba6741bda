extern "C" __global__ void spmv_ell(const int* __restrict__ column, const float* __restrict__ value,
                                    const float* __restrict__ x, float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    size_t i = (size_t)k * rows + row;
    sum += value[i] * x[column[i]];
  }
  y[row] = sum;
}
