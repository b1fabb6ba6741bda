__device__ __forceinline__ unsigned mix(unsigned v) {
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    v ^= v >> 15;
    v *= 0x2c1b3c6du;
    v ^= v << 7;
    v += 0x9e3779b9u;
  }
  return v;
}

extern "C" __global__ void mix_words(const uint4* __restrict__ x, uint4* __restrict__ y,
                                     int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  uint4 v = x[i];
  y[i] = make_uint4(mix(v.x), mix(v.y), mix(v.z), mix(v.w));
}
