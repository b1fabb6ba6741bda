extern "C" __global__ void transpose_direct(const float* __restrict__ x, float* __restrict__ y,
                                            int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < columns && r < rows) y[(size_t)c * rows + r] = x[(size_t)r * columns + c];
}
