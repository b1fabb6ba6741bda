// expect: clean
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  if (in[threadIdx.x] > 30) __trap();
  out[threadIdx.x] = 1;
}
