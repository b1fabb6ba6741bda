// Chains of integer work: OPERATION 0 shift and xor, 1 multiply-add, 2 quotients that the compiler
// finds to be 0 or 1, so that comparisons remain.
extern "C" __global__ void math(const unsigned* x, unsigned* y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned first = x[i];
  unsigned second = first ^ 0x9e3779b9u;
  for (int step = 0; step < steps; ++step) {
#if OPERATION == 0
    first ^= first << 13;
    first ^= first >> 17;
    second ^= second << 5;
    second ^= second >> 9;
#elif OPERATION == 1
    first = first * 1664525u + 1013904223u;
    second = second * 22695477u + first;
#else
    first = first / (second | 3u) + 0x7f4a7c15u;
    second = second / (first | 5u) + 0x85ebca6bu;
#endif
  }
  y[i] = first ^ second;
}
