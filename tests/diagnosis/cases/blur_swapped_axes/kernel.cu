extern "C" __global__ void blur_rows(const float* __restrict__ x, float* __restrict__ y, int height,
                                     int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= height || c >= width) return;
  const float* row = x + (size_t)r * width;
  float sum = 0.375f * row[c];
  sum += 0.25f * (row[max(c - 1, 0)] + row[min(c + 1, width - 1)]);
  sum += 0.0625f * (row[max(c - 2, 0)] + row[min(c + 2, width - 1)]);
  y[(size_t)r * width + c] = sum;
}
