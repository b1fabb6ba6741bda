extern "C" __global__ void solve(const float* __restrict__ lower, const float* __restrict__ b,
                                 float* __restrict__ x, int n) {
  extern __shared__ float rest[];
  for (int i = threadIdx.x; i < n; i += 1024) rest[i] = b[i];
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    float v = rest[j];
    for (int i = j + 1 + threadIdx.x; i < n; i += 1024)
      rest[i] -= lower[(size_t)j * n + i] * 0.01f * v;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 1024) x[i] = rest[i];
}
