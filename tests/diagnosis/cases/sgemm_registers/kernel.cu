extern "C" __global__ void __launch_bounds__(256, 2)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
          int k) {
  __shared__ __align__(16) float left[8][132];
  __shared__ __align__(16) float right[8][128];
  int t = threadIdx.x;
  int tx = t % 16, ty = t / 16;
  const float* pa = a + (size_t)(blockIdx.y * 128 + t / 2) * k + t % 2 * 4;
  const float* pb = b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
  float acc[8][8] = {};
  float4 va = *(const float4*)pa, vb = *(const float4*)pb;
  for (int s = 0; s < k; s += 8) {
    left[t % 2 * 4 + 0][t / 2] = va.x;
    left[t % 2 * 4 + 1][t / 2] = va.y;
    left[t % 2 * 4 + 2][t / 2] = va.z;
    left[t % 2 * 4 + 3][t / 2] = va.w;
    *(float4*)&right[t / 32][t % 32 * 4] = vb;
    __syncthreads();
    if (s + 8 < k) {
      va = *(const float4*)(pa + s + 8);
      vb = *(const float4*)(pb + (size_t)(s + 8) * n);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float p[8], q[8];
      *(float4*)&p[0] = *(float4*)&left[i][ty * 4];
      *(float4*)&p[4] = *(float4*)&left[i][64 + ty * 4];
      *(float4*)&q[0] = *(float4*)&right[i][tx * 4];
      *(float4*)&q[4] = *(float4*)&right[i][64 + tx * 4];
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) acc[u][v] = fmaf(p[u], q[v], acc[u][v]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    int row = blockIdx.y * 128 + u / 4 * 64 + ty * 4 + u % 4;
    float* out = c + (size_t)row * n + blockIdx.x * 128 + tx * 4;
    *(float4*)out = make_float4(acc[u][0], acc[u][1], acc[u][2], acc[u][3]);
    *(float4*)(out + 64) = make_float4(acc[u][4], acc[u][5], acc[u][6], acc[u][7]);
  }
}
