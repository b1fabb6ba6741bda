// expect: clean
// launch: grid 4 block 64
// argument: buffer 4096 ramp
// argument: buffer 64 zero
// argument: buffer 4 zero
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += s[k];
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float v = t < gridDim.x ? partial[t] : 0;
    for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
    if (t == 0) *out = v;
  }
}
