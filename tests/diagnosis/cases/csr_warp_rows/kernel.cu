extern "C" __global__ void spmv(const int* __restrict__ shift, const int* __restrict__ column,
                                const float* __restrict__ value, const float* __restrict__ x,
                                float* __restrict__ y, int rows, int mask) {
  int row = blockIdx.x * 4 + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  int begin = 64 * row + shift[row], end = 64 * (row + 1) + shift[row + 1];
  float sum = 0.0f;
  for (int i = begin + lane; i < end; i += 32) sum += value[i] * x[column[i] & mask];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
