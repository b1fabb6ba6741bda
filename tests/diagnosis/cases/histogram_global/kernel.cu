extern "C" __global__ void clear(unsigned* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count(const unsigned char* __restrict__ x, unsigned* __restrict__ counts,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}
