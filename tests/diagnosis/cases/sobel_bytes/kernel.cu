extern "C" __global__ void sobel(const unsigned char* __restrict__ x, unsigned char* __restrict__ y,
                                 int height, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= width || r >= height) return;
  int left = max(c - 1, 0), right = min(c + 1, width - 1);
  const unsigned char* up = x + max(r - 1, 0) * width;
  const unsigned char* here = x + r * width;
  const unsigned char* down = x + min(r + 1, height - 1) * width;
  int gx = up[right] + 2 * here[right] + down[right] - up[left] - 2 * here[left] - down[left];
  int gy = down[left] + 2 * down[c] + down[right] - up[left] - 2 * up[c] - up[right];
  y[r * width + c] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}
