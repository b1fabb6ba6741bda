extern "C" __global__ void dot(const float* __restrict__ x, const float* __restrict__ y,
                               float* __restrict__ result, int n) {
  __shared__ float part[32];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 1024) sum += x[i] * y[i];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = part[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0) result[0] = sum;
}
