// CHAINS independent chains of fused multiply-adds a thread.
extern "C" __global__ void math(const float* x, float* y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  float chains[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) chains[c] = value + c;
  for (int step = 0; step < steps; step += CHAINS) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) chains[c] = chains[c] * 0.999f + 0.001f;
  }
  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) sum += chains[c];
  y[i] = sum;
}
