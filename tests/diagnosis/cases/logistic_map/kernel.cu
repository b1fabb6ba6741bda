__device__ __forceinline__ float map(float v) { return fmaf(v, fmaf(v, -0.7f, 0.2f), 0.4f); }

extern "C" __global__ void iterate(const float4* __restrict__ x, float4* __restrict__ y,
                                   int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 v = x[i];
#pragma unroll 16
  for (int k = 0; k < 256; ++k) {
    v.x = map(v.x);
    v.y = map(v.y);
    v.z = map(v.z);
    v.w = map(v.w);
  }
  y[i] = v;
}
