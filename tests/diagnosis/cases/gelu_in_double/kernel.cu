extern "C" __global__ void gelu(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = 0.5 * v * (1.0 + tanh(0.7978845608 * (v + 0.044715 * pow(v, 3))));
}
