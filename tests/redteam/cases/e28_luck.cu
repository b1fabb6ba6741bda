// Row 28: right by luck: races, reads past the end, memory that nobody wrote, barriers apart.

//@ case reads_one_past_the_end
//@ task vector_add
//@ expect crashed
//@ reason out of bounds
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float next = x[i + 1];
  z[i] = x[i] + y[i] + (next > 1e38f ? 1.0f : 0.0f);
}

//@ case a_tree_without_barriers
//@ task row_sum
//@ expect wrong
//@ launch row_sum | rows | 128 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[128];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 128) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

//@ case shared_memory_that_nobody_wrote
//@ task row_sum
//@ expect wrong
//@ reason uninitialised
//@ launch row_sum | rows | 128 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[128];
  int t = threadIdx.x;
  if (t < columns) {
    float sum = 0.0f;
    for (int c = t; c < columns; c += 128) sum += x[blockIdx.x * columns + c];
    part[t] = sum;
  }
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

//@ case two_blocks_write_one_sum
//@ task row_sum
//@ expect wrong
//@ reason race
//@ launch row_sum | rows, 2 | 1 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[blockIdx.x * columns + c];
  sums[blockIdx.x] = sum + blockIdx.y * 1e-6f * sum;
}
