// expect: uninitialised shared read
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < 64) s[t] = in[t];
  __syncthreads();
  out[t] = s[127 - t];  // here
}
