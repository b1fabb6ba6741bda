extern "C" __global__ void gemm_abt(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, int n, int k) {
  __shared__ float left[32][32], right[32][32];
  int row = blockIdx.y * 32 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < k; t += 32) {
    left[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(blockIdx.x * 32 + threadIdx.y) * k + t + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
