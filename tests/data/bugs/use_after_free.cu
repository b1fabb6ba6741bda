// expect: use after free
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 freed
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // here
}
