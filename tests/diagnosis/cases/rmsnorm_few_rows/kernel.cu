extern "C" __global__ void rmsnorm(const float4* __restrict__ x, float4* __restrict__ y,
                                   int quads) {
  __shared__ float part[16];
  const float4* row = x + (size_t)blockIdx.x * quads;
  float squares = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < quads; i += 512) {
    float4 v = row[i];
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int d = 16; d > 0; d >>= 1) squares += __shfl_xor_sync(~0u, squares, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < 16; ++w) total += part[w];
  float scale = rsqrtf(total / (4.0f * quads) + 1e-5f);
#pragma unroll 4
  for (int i = threadIdx.x; i < quads; i += 512) {
    float4 v = row[i];
    y[(size_t)blockIdx.x * quads + i] =
        make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
  }
}
