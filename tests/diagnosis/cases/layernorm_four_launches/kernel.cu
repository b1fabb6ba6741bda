__device__ float block_sum(float v) {
  __shared__ float part[8];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0f;
  for (int w = 0; w < 8; ++w) v += part[w];
  return v;
}

extern "C" __global__ void row_mean(const float* __restrict__ x, float* __restrict__ mean) {
  const float* row = x + blockIdx.x * 768;
  float sum = block_sum(row[threadIdx.x] + row[threadIdx.x + 256] + row[threadIdx.x + 512]);
  if (threadIdx.x == 0) mean[blockIdx.x] = sum / 768.0f;
}

extern "C" __global__ void row_variance(const float* __restrict__ x, const float* __restrict__ mean,
                                        float* __restrict__ variance) {
  const float* row = x + blockIdx.x * 768;
  float m = mean[blockIdx.x], sum = 0.0f;
  for (int i = threadIdx.x; i < 768; i += 256) sum += (row[i] - m) * (row[i] - m);
  sum = block_sum(sum);
  if (threadIdx.x == 0) variance[blockIdx.x] = sum / 768.0f;
}

extern "C" __global__ void normalise(const float* __restrict__ x, const float* __restrict__ mean,
                                     const float* __restrict__ variance, float* __restrict__ y) {
  float m = mean[blockIdx.x], scale = rsqrtf(variance[blockIdx.x] + 1e-5f);
  for (int i = threadIdx.x; i < 768; i += 256)
    y[blockIdx.x * 768 + i] = (x[blockIdx.x * 768 + i] - m) * scale;
}

extern "C" __global__ void apply_gain(const float* __restrict__ x, const float* __restrict__ gain,
                                      float* __restrict__ y) {
  for (int i = threadIdx.x; i < 768; i += 256)
    y[blockIdx.x * 768 + i] = x[blockIdx.x * 768 + i] * gain[i];
}
