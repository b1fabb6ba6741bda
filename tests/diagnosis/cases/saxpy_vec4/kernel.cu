extern "C" __global__ void saxpy_vec4(const float4* __restrict__ x, float4* __restrict__ y, float a,
                                      int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 p = x[i], q = y[i];
  q.x = fmaf(a, p.x, q.x);
  q.y = fmaf(a, p.y, q.y);
  q.z = fmaf(a, p.z, q.z);
  q.w = fmaf(a, p.w, q.w);
  y[i] = q;
}
