extern "C" __global__ void gemm_tile(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ c, int k) {
  __shared__ float left[32][33], right[32][33];
  int row = blockIdx.y * 32 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < k; t += 32) {
    left[threadIdx.y][threadIdx.x] = a[(size_t)row * k + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(size_t)(t + threadIdx.y) * 64 + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * 64 + col] = sum;
}
