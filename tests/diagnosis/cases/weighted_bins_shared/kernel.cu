extern "C" __global__ void clear(float* total) { total[threadIdx.x] = 0.0f; }

extern "C" __global__ void add_weights(const unsigned char* __restrict__ bin,
                                       const float* __restrict__ weight, float* __restrict__ total,
                                       int n) {
  __shared__ float sum[8];
  if (threadIdx.x < 8) sum[threadIdx.x] = 0.0f;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(&sum[bin[i]], weight[i]);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&total[threadIdx.x], sum[threadIdx.x]);
}
