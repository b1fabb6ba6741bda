// expect: shared race
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  float a = s[63 - t];
  s[t] = a * a;  // here
  __syncthreads();
  out[t] = s[63 - t];
}
