// One thread's fence says nothing about what its block has written and it has not met.
// expect: global race
// launch: grid 3 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: buffer 4 zero
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* partial, unsigned* ticket, float* out) {
  int t = threadIdx.x;
  partial[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t];
  if (t != 0) return;
  __threadfence();
  if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;
  __threadfence();
  float sum = 0;
  for (int k = 0; k < 64 * gridDim.x; ++k) sum += partial[k];  // here
  *out = sum;
}
