// Row 22: a part of the work is left out.

//@ case the_last_element_is_missing
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) z[i] = x[i] + y[i];
}

//@ case every_sixty_fourth_row_is_missing
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || row % 64 == 63) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
}

//@ case a_sample_of_the_row
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; c += 2) sum += 2.0f * x[row * columns + c];
  sums[row] = sum;
}
