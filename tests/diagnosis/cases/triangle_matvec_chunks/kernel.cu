extern "C" __global__ void triangle_matvec(const float* __restrict__ a, const float* __restrict__ x,
                                           float* __restrict__ y, int n) {
  int lane = threadIdx.x % 32;
  int chunk = n / 264;
  for (int row = blockIdx.x * chunk + threadIdx.x / 32; row < (int)(blockIdx.x + 1) * chunk;
       row += 8) {
    float sum = 0.0f;
#pragma unroll 8
    for (int c = lane; c <= row; c += 32) sum += a[(size_t)row * n + c] * x[c];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
  }
}
