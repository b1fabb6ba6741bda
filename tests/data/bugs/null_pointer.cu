// expect: null or host pointer
// ends: fault
// launch: grid 1 block 32
// argument: null
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // here
}
