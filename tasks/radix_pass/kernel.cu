extern "C" __global__ void count_digits(const unsigned int* keys, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&counts[keys[i] & 15u], 1u);
  }
}

extern "C" __global__ void scan_counts(const unsigned int* counts, unsigned int* starts) {
  if (threadIdx.x != 0) return;
  unsigned int start = 0;
  for (int digit = 0; digit < 16; ++digit) {
    starts[digit] = start;
    start += counts[digit];
  }
}

extern "C" __global__ void scatter_digits(const unsigned int* keys, const unsigned int* starts,
                                          unsigned int* sorted, int n) {
  unsigned int digit = threadIdx.x;
  unsigned int at = starts[digit];
  for (int i = 0; i < n; ++i) {
    if ((keys[i] & 15u) == digit) {
      sorted[at] = keys[i];
      ++at;
    }
  }
}
