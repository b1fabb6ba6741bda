// expect: clean
// launch: grid 2 block 256
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[8];
  int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t < 8) {
    v = s[t];
    for (int k = 4; k > 0; k >>= 1) v += __shfl_down_sync(0xff, v, k);
    if (t == 0) out[blockIdx.x] = v;
  }
}
