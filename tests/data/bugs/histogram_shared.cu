// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 count
// argument: buffer 64 zero

extern "C" __global__ void kernel(const int* in, int* bins) {
  __shared__ int own[16];
  int t = threadIdx.x;
  if (t < 16) own[t] = 0;
  __syncthreads();
  own[in[t] & 15]++;  // here
  __syncthreads();
  if (t < 16) atomicAdd(&bins[t], own[t]);
}
