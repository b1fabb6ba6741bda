__device__ __forceinline__ void step(float& p, float g, float& m, float& v) {
  m = 0.9f * m + 0.1f * g;
  v = 0.999f * v + 0.001f * g * g;
  p -= 1e-3f * m * rsqrtf(fabsf(v) + 1e-8f);
}

extern "C" __global__ void adam_step(float4* __restrict__ p, const float4* __restrict__ g,
                                     float4* __restrict__ m, float4* __restrict__ v, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 a = p[i], b = g[i], c = m[i], d = v[i];
  step(a.x, b.x, c.x, d.x);
  step(a.y, b.y, c.y, d.y);
  step(a.z, b.z, c.z, d.z);
  step(a.w, b.w, c.w, d.w);
  p[i] = a;
  m[i] = c;
  v[i] = d;
}
