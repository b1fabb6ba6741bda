extern "C" __global__ void look_up(const int* __restrict__ x, float* __restrict__ y,
                                   const float* __restrict__ table, int n) {
  extern __shared__ float t[];
  for (int i = threadIdx.x; i < 16384; i += 256) t[i] = table[i];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) y[i] = t[x[i]];
  }
}
