extern "C" __global__ void sigmoid(const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
    y[i] = 1.0f / (1.0f + __expf(-x[i]));
}
