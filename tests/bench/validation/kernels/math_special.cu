// Chains of special functions: FUNCTION 0 exp2, 1 sine, 2 reciprocal square root, 3 exact division.
extern "C" __global__ void math(const float* x, float* y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float first = x[i];
  float second = first + 0.5f;
  for (int step = 0; step < steps; ++step) {
#if FUNCTION == 0
    first = exp2f(-first * first);
    second = exp2f(-second * second);
#elif FUNCTION == 1
    first = __sinf(first);
    second = __sinf(second);
#elif FUNCTION == 2
    first = rsqrtf(first * first + 1.0f);
    second = rsqrtf(second * second + 1.0f);
#else
    first = first / (1.0f + first * first);
    second = second / (1.0f + second * second);
#endif
  }
  y[i] = first + second;
}
