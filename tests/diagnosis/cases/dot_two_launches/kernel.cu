__device__ float block_sum(float sum) {
  __shared__ float part[8];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < 8; ++w) sum += part[w];
  return sum;
}

extern "C" __global__ void dot_parts(const float4* __restrict__ x, const float4* __restrict__ y,
                                     float* __restrict__ part, int quads) {
  float sum = 0.0f;
#pragma unroll 4
  for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += 1056 * 256) {
    float4 p = x[i], q = y[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

extern "C" __global__ void dot_join(const float* __restrict__ part, float* __restrict__ result) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 1056; i += 256) sum += part[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) result[0] = sum;
}
