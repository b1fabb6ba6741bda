extern "C" __global__ void haar(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float v[2048];
  const float* in = x + (size_t)blockIdx.x * 2048;
#pragma unroll
  for (int k = 0; k < 8; ++k) v[threadIdx.x + 256 * k] = in[threadIdx.x + 256 * k];
  for (int d = 1; d < 2048; d *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < 1024 / d; i += 256) {
      float a = v[2 * d * i], b = v[2 * d * i + d];
      v[2 * d * i] = 0.5f * (a + b);
      v[2 * d * i + d] = 0.5f * (a - b);
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k)
    y[(size_t)blockIdx.x * 2048 + threadIdx.x + 256 * k] = v[threadIdx.x + 256 * k];
}
