extern "C" __global__ void pair_energy(const float4* __restrict__ body, float* __restrict__ energy,
                                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = body[i];
  float sum = 0.0f;
  int first = i / 32 * 32;
#pragma unroll 8
  for (int j = first; j < n; ++j) {
    float4 o = body[j];
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
    float e = o.w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    sum += j > i ? e : 0.0f;
  }
  energy[i] = me.w * sum;
}
