// expect: global out of bounds
// ends: fault
// launch: grid 5 block 256
// argument: buffer 4096 zero
// argument: int 1024

extern "C" __global__ void kernel(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1;  // here
}
