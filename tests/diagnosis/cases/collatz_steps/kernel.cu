extern "C" __global__ void collatz(const unsigned* __restrict__ start, int* __restrict__ steps,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = start[i];
  int k = 0;
  while (v > 1) {
    if (v & 1) {
      v = 3 * v + 1;
    } else {
      v >>= 1;
    }
    ++k;
  }
  steps[i] = k;
}
