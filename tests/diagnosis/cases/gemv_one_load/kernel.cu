extern "C" __global__ void gemv(const float* __restrict__ a, const float* __restrict__ x,
                                float* __restrict__ y, int rows, int columns) {
  int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int c = threadIdx.x % 32; c < columns; c += 32) sum += a[(size_t)row * columns + c] * x[c];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
