__device__ unsigned mix(unsigned v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ v >> 16;
}

extern "C" __global__ void sample(const float* __restrict__ width, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float w = 18.0f + 2.0f * fminf(fabsf(width[i]), 1.0f), v = 0.0f;
  unsigned state = mix(i);
  for (int trial = 0; trial < 400; ++trial) {
    state = mix(state + 0x9e3779b9u);
    v = state * (2.0f / 4294967296.0f) - 1.0f;
    unsigned second = mix(state ^ 0x55555555u);
    if (second * (1.0f / 4294967296.0f) < __expf(-w * w * v * v)) break;
  }
  y[i] = v;
}
