extern "C" __global__ void horner(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ __align__(16) float tile[];
  for (int i = threadIdx.x; i < 30720; i += 512) tile[i] = x[(size_t)blockIdx.x * 30720 + i];
  __syncthreads();
  for (int i = 4 * threadIdx.x; i < 30720; i += 2048) {
    float4 v = *(float4*)&tile[i], s = v;
#pragma unroll 16
    for (int k = 0; k < 1024; ++k) {
      s.x = fmaf(s.x, v.x, 0.1f);
      s.y = fmaf(s.y, v.y, 0.1f);
      s.z = fmaf(s.z, v.z, 0.1f);
      s.w = fmaf(s.w, v.w, 0.1f);
    }
    *(float4*)&y[(size_t)blockIdx.x * 30720 + i] = s;
  }
}
