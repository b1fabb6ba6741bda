extern "C" __global__ void sum_columns(const float* __restrict__ x, float* __restrict__ part,
                                       int rows) {
  float sum = 0.0f;
#pragma unroll 8
  for (int r = blockIdx.x; r < rows; r += 528) sum += x[(size_t)r * 256 + threadIdx.x];
  part[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void join(const float* __restrict__ part, float* __restrict__ mean,
                                int rows) {
  __shared__ float warp[4];
  float sum = 0.0f;
  for (int b = threadIdx.x; b < 528; b += 128) sum += part[b * 256 + blockIdx.x];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) mean[blockIdx.x] = (warp[0] + warp[1] + warp[2] + warp[3]) / rows;
}

extern "C" __global__ void square_columns(const float* __restrict__ x,
                                          const float* __restrict__ mean, float* __restrict__ part,
                                          int rows) {
  float m = mean[threadIdx.x], sum = 0.0f;
#pragma unroll 8
  for (int r = blockIdx.x; r < rows; r += 528) {
    float d = x[(size_t)r * 256 + threadIdx.x] - m;
    sum += d * d;
  }
  part[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void normalise(const float* __restrict__ x, const float* __restrict__ mean,
                                     const float* __restrict__ variance, float* __restrict__ y,
                                     int rows) {
  float m = mean[threadIdx.x], scale = rsqrtf(variance[threadIdx.x] + 1e-5f);
#pragma unroll 8
  for (int r = blockIdx.x; r < rows; r += 2112) {
    size_t i = (size_t)r * 256 + threadIdx.x;
    y[i] = (x[i] - m) * scale;
  }
}
