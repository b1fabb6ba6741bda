extern "C" __global__ void cross_entropy(const float* __restrict__ logits,
                                         const int* __restrict__ label, float* __restrict__ loss) {
  __shared__ float part[8];
  const float* mine = logits + (size_t)blockIdx.x * 50304;
  const float4* row = (const float4*)mine;
  float top = -3.4e38f;
#pragma unroll 4
  for (int i = threadIdx.x; i < 12576; i += 256) {
    float4 v = row[i];
    top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
  __syncthreads();
  for (int w = 0; w < 8; ++w) top = fmaxf(top, part[w]);
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < 12576; i += 256) {
    float4 v = row[i];
    sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum = 0.0f;
  for (int w = 0; w < 8; ++w) sum += part[w];
  loss[blockIdx.x] = logf(sum) + top - mine[label[blockIdx.x]];
}
