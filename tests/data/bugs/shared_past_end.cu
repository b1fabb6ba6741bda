// expect: shared out of bounds
// ends: fault
// launch: grid 1 block 64
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t + 1] = t;  // here
  __syncthreads();
  out[t] = s[t];
}
