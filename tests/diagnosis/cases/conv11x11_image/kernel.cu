extern "C" __global__ void filter(const float* __restrict__ x, const float* __restrict__ weight,
                                  float* __restrict__ y, int height, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= width || r >= height) return;
  float sum = 0.0f;
  for (int i = 0; i < 11; ++i) {
#pragma unroll
    for (int j = 0; j < 11; ++j) sum += weight[i * 11 + j] * x[(r + i) * (width + 10) + c + j];
  }
  y[r * width + c] = sum;
}
