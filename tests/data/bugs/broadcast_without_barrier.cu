// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float scale;
  int t = threadIdx.x;
  if (t == 0) scale = in[0] + 1;  // here
  out[t] = in[t] * scale;  // here
}
