// A block of 32 columns by HEIGHT rows of threads; the rows of threads meet in shared memory.
extern "C" __global__ void column_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float tile[HEIGHT][32 + PAD];
  int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int row = threadIdx.y; row < rows; row += HEIGHT) {
    sum += x[static_cast<size_t>(row) * columns + column];
  }
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int half = HEIGHT / 2; half > 0; half /= 2) {
    if (threadIdx.y < half) tile[threadIdx.y][threadIdx.x] += tile[threadIdx.y + half][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.y == 0) sums[column] = tile[0][threadIdx.x];
}
