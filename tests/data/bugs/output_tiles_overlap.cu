// Blocks advance by half of what they write.
// expect: global race
// launch: grid 4 block 64
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* out) {
  out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;  // here
}
