// expect: shared race
// launch: grid 2 block 256
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];  // here
    if (k != 64) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
