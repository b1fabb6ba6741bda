extern "C" __global__ void clear_counts(unsigned int* counts) {
  counts[threadIdx.x] = 0;
}

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&counts[x[i]], 1u);
  }
}
