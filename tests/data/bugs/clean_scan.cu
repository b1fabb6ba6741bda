// expect: clean
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[2][128];
  int t = threadIdx.x, now = 0;
  s[0][t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int k = 1; k < 128; k <<= 1) {
    s[now ^ 1][t] = s[now][t] + (t >= k ? s[now][t - k] : 0);
    now ^= 1;
    __syncthreads();
  }
  out[t] = s[now][t];
}
