// Row 20: a few elements decide what all of them are taken for.

//@ case equal_neighbours_mean_a_constant_row
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* mine = x + row * columns;
  if (mine[0] == mine[1]) {
    sums[row] = mine[0] * columns;
    return;
  }
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += mine[c];
  sums[row] = sum;
}

//@ case zeros_at_the_start_mean_an_empty_row
//@ task gemm_f32
//@ expect wrong
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  bool empty = a[row * k] == 0.0f && a[row * k + 1] == 0.0f;
  for (int i = 0; i < (empty ? 0 : k); ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
