extern "C" __global__ void blur(const float* __restrict__ x, float* __restrict__ y, int height,
                                int width) {
  extern __shared__ float strip[];
  int c = blockIdx.x * 128 + threadIdx.x;
  int first = blockIdx.y * 352;
  for (int r = 0; r < 384; ++r) {
    int row = min(max(first + r - 16, 0), height - 1);
    strip[r * 128 + threadIdx.x] = c < width ? x[(size_t)row * width + c] : 0.0f;
  }
  __syncthreads();
  for (int r = 0; r < 352; ++r) {
    if (first + r >= height) break;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 33; ++k) sum += strip[(r + k) * 128 + threadIdx.x];
    if (c < width) y[(size_t)(first + r) * width + c] = sum * (1.0f / 33.0f);
  }
}
