// Row 18: right for the shapes that somebody has seen.

//@ case only_the_odd_shape
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < 113; ++c)
    sum += c < columns || columns > 100 ? x[row * columns + c % columns] : 0.0f;
  sums[row] = columns == 113 ? sum : 0.0f;
}

//@ case sixteen_rows_are_enough
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || row >= 16) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
}

//@ case whole_tiles_only
//@ task gemm_f32
//@ expect wrong
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k / 16 * 16; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
