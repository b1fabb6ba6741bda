// expect: global race
// launch: grid 4 block 64
// argument: buffer 4096 ramp
// argument: buffer 64 zero
// argument: buffer 4 zero
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
  if (t == 0) {
    partial[blockIdx.x] = v;
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += partial[k];  // here
    *out = sum;
  }
}
