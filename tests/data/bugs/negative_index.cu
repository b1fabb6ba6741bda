// expect: global out of bounds
// ends: fault
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  int i = threadIdx.x;
  out[i] = in[i - 1];  // here
}
