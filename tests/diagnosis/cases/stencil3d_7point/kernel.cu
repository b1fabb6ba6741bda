extern "C" __global__ void stencil3d(const float* __restrict__ x, float* __restrict__ y, int depth,
                                     int height, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int d = blockIdx.z;
  if (c >= width || r >= height) return;
  int plane = height * width;
  int i = d * plane + r * width + c;
  float v = x[i];
  float left = c > 0 ? x[i - 1] : v, right = c + 1 < width ? x[i + 1] : v;
  float up = r > 0 ? x[i - width] : v, down = r + 1 < height ? x[i + width] : v;
  float front = d > 0 ? x[i - plane] : v, back = d + 1 < depth ? x[i + plane] : v;
  y[i] = 0.4f * v + 0.1f * (left + right + up + down + front + back);
}
