extern "C" __global__ void channels_last(const float* __restrict__ x, float* __restrict__ y,
                                         int channels, int pixels) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int c = blockIdx.y;
  size_t image = (size_t)blockIdx.z * channels * pixels;
  if (p < pixels) y[image + (size_t)p * channels + c] = x[image + (size_t)c * pixels + p];
}
