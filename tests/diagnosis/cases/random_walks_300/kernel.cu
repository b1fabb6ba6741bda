extern "C" __global__ void __launch_bounds__(1024, 2)
    walk(const float* __restrict__ start, float* __restrict__ y, int steps) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  float v = start[i];
  unsigned state = 2654435761u * (i + 1);
  for (int k = 0; k < steps; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    v = fmaf(v, 0.999f, (int)state * 1e-10f);
  }
  y[i] = v;
}
