// atomicAdd to memory that nobody set to zero.
// expect: uninitialised global read
// launch: grid 2 block 64
// argument: buffer 4096 ramp
// argument: buffer 16 unset

extern "C" __global__ void kernel(const float* in, float* sum) {
  atomicAdd(sum, in[blockIdx.x * 64 + threadIdx.x]);  // here
}
