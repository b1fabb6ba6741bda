extern "C" __global__ void maxpool_2x2(const float2* __restrict__ x, float* __restrict__ y,
                                       int height, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= width || r >= height) return;
  size_t in = ((size_t)blockIdx.z * 2 * height + 2 * r) * width + c;
  float2 a = x[in], b = x[in + width];
  y[((size_t)blockIdx.z * height + r) * width + c] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}
