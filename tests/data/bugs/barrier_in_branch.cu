// expect: divergent barrier
// launch: grid 1 block 64
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* x) {
  int t = threadIdx.x;
  if (t < 48) {
    x[t] = 1;
    __syncthreads();  // here
  }
  x[t] += 1;
}
