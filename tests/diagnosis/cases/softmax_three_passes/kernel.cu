__device__ float block_reduce(float v, bool largest) {
  __shared__ float part[16];
  for (int d = 16; d > 0; d >>= 1) {
    float o = __shfl_xor_sync(~0u, v, d);
    v = largest ? fmaxf(v, o) : v + o;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < 16; ++w) v = largest ? fmaxf(v, part[w]) : v + part[w];
  return v;
}

extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y,
                                        int columns) {
  const float4* in = (const float4*)(x + (size_t)blockIdx.x * columns);
  float4* out = (float4*)(y + (size_t)blockIdx.x * columns);
  int quads = columns / 4;
  float top = -3.4e38f;
#pragma unroll 4
  for (int i = threadIdx.x; i < quads; i += 512) {
    float4 v = in[i];
    top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  top = block_reduce(top, true);
  float sum = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < quads; i += 512) {
    float4 v = in[i];
    sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
  }
  float scale = 1.0f / block_reduce(sum, false);
#pragma unroll 4
  for (int i = threadIdx.x; i < quads; i += 512) {
    float4 v = in[i];
    out[i] = make_float4(__expf(v.x - top) * scale, __expf(v.y - top) * scale,
                         __expf(v.z - top) * scale, __expf(v.w - top) * scale);
  }
}
