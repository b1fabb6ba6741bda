// expect: shared race in a warp
// launch: grid 1 block 32
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  out[t] = s[t ^ 1];  // here
}
