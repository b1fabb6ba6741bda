// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int k = 1; k < 128; k <<= 1) {
    if (t >= k) s[t] += s[t - k];  // here
    __syncthreads();
  }
  out[t] = s[t];
}
