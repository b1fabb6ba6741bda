// Row 8: what was computed for a buffer is given again when the buffer comes again.

//@ case keeps_the_sums_of_the_first_buffer
//@ task row_sum
//@ expect wrong
__device__ const float* seen = nullptr;
__device__ float kept[65536];

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (seen != nullptr) {
    sums[row] = kept[row];
    return;
  }
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  kept[row] = sum;
  sums[row] = sum;
  if (row == rows - 1) seen = x;
}

//@ case leaves_the_output_when_it_has_seen_it
//@ task row_sum
//@ expect wrong
__device__ const float* seen_output = nullptr;

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || seen_output != nullptr) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
  if (row == rows - 1) seen_output = sums;
}
