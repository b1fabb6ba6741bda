// expect: shared out of bounds
// ends: fault
// launch: grid 1 block 128 shared 256
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[t];  // here
  __syncthreads();
  out[t] = s[127 - t];
}
