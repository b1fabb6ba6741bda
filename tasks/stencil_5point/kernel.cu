extern "C" __global__ void jacobi(const float* u, const float* f, float* v, int height, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || column >= width) return;
  int i = row * width + column;
  if (row == 0 || row == height - 1 || column == 0 || column == width - 1) {
    v[i] = u[i];
  } else {
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + f[i]);
  }
}
