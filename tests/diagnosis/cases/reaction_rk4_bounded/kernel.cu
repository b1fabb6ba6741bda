extern "C" __global__ void __launch_bounds__(1024, 2)
    react(const float* __restrict__ u, float* __restrict__ y, int cells, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= cells) return;
  float s[20], stage[20], sum[20], rate[20];
#pragma unroll
  for (int i = 0; i < 20; ++i) s[i] = u[(size_t)i * cells + t];
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 20; ++i) {
      stage[i] = s[i];
      sum[i] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < 20; ++i) {
        rate[i] = 0.3f * stage[(i + 19) % 20] - 0.2f * stage[i] * stage[(i + 7) % 20] -
                  0.1f * stage[(i + 3) % 20];
      }
      float weight = k == 0 || k == 3 ? 1.0f / 6 : 1.0f / 3;
      float ahead = k == 2 ? 0.01f : 0.005f;
#pragma unroll
      for (int i = 0; i < 20; ++i) {
        sum[i] += weight * rate[i];
        stage[i] = s[i] + ahead * rate[i];
      }
    }
#pragma unroll
    for (int i = 0; i < 20; ++i) s[i] += 0.01f * sum[i];
  }
#pragma unroll
  for (int i = 0; i < 20; ++i) y[(size_t)i * cells + t] = s[i];
}
