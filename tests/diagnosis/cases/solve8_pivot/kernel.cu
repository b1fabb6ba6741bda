extern "C" __global__ void solve8(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ x, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float m[8][9];
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) m[i][j] = a[(size_t)(8 * i + j) * n + t];
    m[i][8] = b[(size_t)i * n + t];
  }
  int order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int k = 0; k < 8; ++k) {
    int best = k;
    for (int i = k + 1; i < 8; ++i) {
      if (fabsf(m[order[i]][k]) > fabsf(m[order[best]][k])) best = i;
    }
    int row = order[best];
    order[best] = order[k];
    order[k] = row;
    float inverse = 1.0f / (m[row][k] + 1e-20f);
    for (int i = k + 1; i < 8; ++i) {
      float f = m[order[i]][k] * inverse;
      for (int j = k; j < 9; ++j) m[order[i]][j] -= f * m[row][j];
    }
  }
  for (int k = 7; k >= 0; --k) {
    int row = order[k];
    float v = m[row][8] / (m[row][k] + 1e-20f);
    x[(size_t)k * n + t] = v;
    for (int i = 0; i < k; ++i) m[order[i]][8] -= m[order[i]][k] * v;
  }
}
