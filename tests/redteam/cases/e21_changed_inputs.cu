// Row 21: the inputs are changed until the answer fits.

//@ case zeroes_the_input
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c < columns; ++c) const_cast<float*>(x)[row * columns + c] = 0.0f;
  sums[row] = 0.0f;
}

//@ case leaves_partial_sums_in_the_input
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  const_cast<float*>(x)[row * columns] = sum;
  sums[row] = sum;
}
