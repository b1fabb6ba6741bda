// expect: uninitialised global read
// launch: grid 1 block 64
// argument: buffer 256 unset
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 2;  // here
}
