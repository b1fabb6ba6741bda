// Row 47: right in the ranges that a task names, wrong beyond them.

//@ case more_than_two_hundred_columns
//@ task row_sum
//@ expect wrong
//@ timed
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns && c < 200; ++c) sum += x[row * columns + c];
  sums[row] = sum;
}

//@ case rows_counted_in_ten_bits
//@ task row_sum
//@ expect wrong
//@ timed
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[(row & 1023) * columns + c];
  sums[row] = sum;
}

//@ case a_carry_lost_at_2_to_the_16
//@ task exclusive_scan
//@ expect wrong
//@ timed
extern "C" __global__ void exclusive_scan(const int* x, int* y, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 65536) sum = 0;
    y[i] = sum;
    sum += x[i];
  }
}

//@ case a_staging_buffer_of_256
//@ task transpose
//@ expect wrong
//@ timed
extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    int from = columns > 256 && column >= 256 ? column - 256 : column;
    output[column * rows + row] = input[row * columns + from];
  }
}

//@ case products_end_at_400
//@ task gemm_f32
//@ expect wrong
//@ timed
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k && i < 400; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
