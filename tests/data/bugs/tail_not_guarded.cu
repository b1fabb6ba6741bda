// 1000 elements, 1024 threads.
// expect: global out of bounds
// ends: fault
// launch: grid 4 block 256
// argument: buffer 4000 ramp

extern "C" __global__ void kernel(float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2;  // here
}
