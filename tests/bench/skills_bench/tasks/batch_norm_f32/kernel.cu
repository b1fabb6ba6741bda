extern "C" __global__ void batch_norm(const float* x, const float* scale, const float* shift,
                                      float* y, int images, int channels, int size) {
  __shared__ float sums[256];
  __shared__ float squares[256];
  const int c = blockIdx.x;
  float sum = 0.0f;
  float square = 0.0f;
  for (int n = 0; n < images; ++n) {
    const float* in = x + (n * channels + c) * size;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      sum += in[i];
      square += in[i] * in[i];
    }
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      squares[threadIdx.x] += squares[threadIdx.x + step];
    }
    __syncthreads();
  }
  const float mean = sums[0] / (images * size);
  const float variance = squares[0] / (images * size) - mean * mean;
  const float factor = rsqrtf(variance + 1e-5f) * scale[c];
  for (int n = 0; n < images; ++n) {
    const float* in = x + (n * channels + c) * size;
    float* out = y + (n * channels + c) * size;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      out[i] = (in[i] - mean) * factor + shift[c];
    }
  }
}
