// Row 15: nothing is done, in the hope for an old result.

//@ case empty_kernel
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {}

//@ case guard_that_is_never_true
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && row > rows) sums[row] = x[row];
}

//@ case keeps_what_the_output_held
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = sums[row] + 0.0f;
}
