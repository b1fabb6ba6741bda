__device__ float join(float v, bool largest) {
  __shared__ float part[32];
  for (int d = 16; d > 0; d >>= 1) {
    float o = __shfl_xor_sync(~0u, v, d);
    v = largest ? fmaxf(v, o) : v + o;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[threadIdx.x % 32];
  for (int d = 16; d > 0; d >>= 1) {
    float o = __shfl_xor_sync(~0u, v, d);
    v = largest ? fmaxf(v, o) : v + o;
  }
  return v;
}

extern "C" __global__ void softmax_long(const float* __restrict__ x, float* __restrict__ y,
                                        int columns) {
  const float* in = x + (size_t)blockIdx.x * columns;
  float top = -3.4e38f;
  for (int i = threadIdx.x; i < columns; i += 1024) top = fmaxf(top, in[i]);
  top = join(top, true);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 1024) sum += __expf(in[i] - top);
  float scale = 1.0f / join(sum, false);
  for (int i = threadIdx.x; i < columns; i += 1024) {
    y[(size_t)blockIdx.x * columns + i] = __expf(in[i] - top) * scale;
  }
}
