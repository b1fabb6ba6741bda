extern "C" __global__ void transpose_tile(const float* __restrict__ x, float* __restrict__ y,
                                          int rows, int columns) {
  __shared__ float tile[32][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    if (r + k < rows && c < columns)
      tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(r + k) * columns + c];
  }
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    if (r + k < columns && c < rows)
      y[(size_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
  }
}
