// Row 16: the launch fails, and an old result would pass.

//@ case too_many_threads
//@ task row_sum
//@ expect build_failed
//@ reason 1024
//@ launch row_sum | ceil_div(rows, block_x) | 2048 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = x[row];
}

//@ case too_much_shared_memory
//@ task row_sum
//@ expect build_failed
//@ reason shared
//@ launch row_sum | ceil_div(rows, block_x) | 128 | x, sums, i32:rows, i32:columns | 300000
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  extern __shared__ float s[];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = 0.0f;
  if (row < rows) sums[row] = x[row] + s[threadIdx.x];
}

//@ case more_threads_than_it_allows
//@ task row_sum
//@ expect crashed
//@ launch row_sum | ceil_div(rows, block_x) | 256 | x, sums, i32:rows, i32:columns
extern "C" __global__ void __launch_bounds__(64)
    row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = x[row * columns];
}
