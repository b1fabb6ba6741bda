// Blocks draw their work from a counter.
// expect: clean
// launch: grid 4 block 64
// argument: buffer 4 zero
// argument: buffer 4096 zero

extern "C" __global__ void kernel(int* next, int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = atomicAdd(next, 64);
  __syncthreads();
  out[first + threadIdx.x] = first;
}
