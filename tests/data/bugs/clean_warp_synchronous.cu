// expect: clean
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
#pragma unroll 1
    for (int k = 16; k > 0; k >>= 1) {
      __syncwarp();
      s[t] = v;
      __syncwarp();
      v += s[t ^ k];
    }
    if (t == 0) *out = v;
  }
}
