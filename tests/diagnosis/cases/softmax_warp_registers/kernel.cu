extern "C" __global__ void softmax_warp(const float4* __restrict__ x, float4* __restrict__ y,
                                        int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = x[(size_t)row * 256 + lane + 32 * k];
  float top = v[0].x;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    top = fmaxf(top, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    v[k].x = __expf(v[k].x - top);
    v[k].y = __expf(v[k].y - top);
    v[k].z = __expf(v[k].z - top);
    v[k].w = __expf(v[k].w - top);
    sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  float scale = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    y[(size_t)row * 256 + lane + 32 * k] =
        make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
  }
}
