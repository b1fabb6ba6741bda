extern "C" __global__ void smooth(const float* u, float* v, int depth, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x >= width || y >= height) return;
  long long i = (static_cast<long long>(z) * height + y) * width + x;
  if (x == 0 || y == 0 || z == 0 || x == width - 1 || y == height - 1 || z == depth - 1) {
    v[i] = u[i];
    return;
  }
  long long plane = static_cast<long long>(height) * width;
  v[i] = 0.4f * u[i] + 0.1f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + u[i - plane] +
                               u[i + plane]);
}
