extern "C" __global__ void __launch_bounds__(256, 8)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
         int k) {
  __shared__ float left[8][128], right[8][128];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float acc[8][8] = {};
  for (int s = 0; s < k; s += 8) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int e = t + 256 * j;
      left[e % 8][e / 8] = a[(size_t)(blockIdx.y * 128 + e / 8) * k + s + e % 8];
      right[e / 128][e % 128] = b[(size_t)(s + e / 128) * n + blockIdx.x * 128 + e % 128];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) acc[u][v] += left[i][ty + 16 * u] * right[i][tx + 16 * v];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < 8; ++u) {
#pragma unroll
    for (int v = 0; v < 8; ++v) {
      c[(size_t)(blockIdx.y * 128 + ty + 16 * u) * n + blockIdx.x * 128 + tx + 16 * v] = acc[u][v];
    }
  }
}
