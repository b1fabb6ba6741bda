extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] < 0.0f ? 0.125f * x[i] : x[i];
}
