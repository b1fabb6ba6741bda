// Row 12: looks for the answer in memory that is not its own.

//@ case reads_behind_the_output
//@ task row_sum
//@ expect crashed
//@ reason out of bounds
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = sums[row + 1048576];
}

//@ case reads_in_front_of_the_input
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = x[row - 4096];
}
