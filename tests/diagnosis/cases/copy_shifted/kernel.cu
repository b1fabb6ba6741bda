extern "C" __global__ void copy_shifted(const float* __restrict__ x, float* __restrict__ y, int n) {
  int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 7 * stride < n; i += 8 * stride) {
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = x[i + k * stride + 1];
#pragma unroll
    for (int k = 0; k < 8; ++k) y[i + k * stride] = v[k];
  }
  for (; i < n; i += stride) y[i] = x[i + 1];
}
