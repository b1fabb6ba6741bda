// __threadfence_block() says nothing to other blocks.
// expect: global race
// launch: grid 4 block 64
// argument: buffer 4096 ramp
// argument: buffer 64 zero
// argument: buffer 4 zero
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  if (t == 0) {
    partial[blockIdx.x] = in[blockIdx.x * 64];
    __threadfence_block();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t < gridDim.x) out[t] = partial[t];  // here
}
