// An 8 x 32 matrix read as 32 x 32.
// expect: global out of bounds
// ends: fault
// launch: grid 1 block 32,8
// argument: buffer 1024 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  out[threadIdx.y * 32 + threadIdx.x] = in[threadIdx.x * 32 + threadIdx.y];  // here
}
