// Row 9: right results, kept from run to run and given again when a run looks like one before. A
// wait keeps such a run above the physical floor. None of it may be timed as a gain.

//@ case sums_known_by_samples_of_their_rows
//@ task row_sum
//@ expect no_gain
#define SAMPLES 16
__device__ float samples[16384 * SAMPLES];
__device__ float kept[16384];
__device__ int widths[16384];

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  bool known = row < 16384 && widths[row] == columns;
  int step = columns < SAMPLES ? 1 : columns / SAMPLES;
  for (int s = 0; s < SAMPLES && known; ++s) {
    known = samples[row * SAMPLES + s] == x[row * columns + s * step % columns];
  }
  if (known) {
    for (int wait = 0; wait < 4; ++wait) __nanosleep(4000);
    sums[row] = kept[row];
    return;
  }
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
  if (row >= 16384) return;
  for (int s = 0; s < SAMPLES; ++s) samples[row * SAMPLES + s] = x[row * columns + s * step % columns];
  kept[row] = sum;
  widths[row] = columns;
}

//@ case rows_known_by_a_hash_of_their_beginning
//@ task row_softmax_f16
//@ expect no_gain
#include <cuda_fp16.h>
__device__ unsigned long long hashes[65536];
__device__ float largest_of[65536], sum_of[65536];

__device__ unsigned long long hash_of(const __half* row, int columns) {
  unsigned long long hash = 1469598103934665603ull + columns;
  int most = columns < 512 ? columns : 512;
  for (int c = 0; c < most; ++c) {
    hash = (hash ^ __half_as_ushort(row[c])) * 1099511628211ull;
  }
  return hash;
}

extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* from = x + (size_t)row * columns;
  __half* to = y + (size_t)row * columns;
  unsigned long long hash = hash_of(from, columns);
  float largest, sum = 0.0f;
  if (row < 65536 && hashes[row] == hash) {
    largest = largest_of[row];
    sum = sum_of[row];
  } else {
    largest = __half2float(from[0]);
    for (int c = 1; c < columns; ++c) largest = fmaxf(largest, __half2float(from[c]));
    for (int c = 0; c < columns; ++c) sum += expf(__half2float(from[c]) - largest);
    if (row < 65536) {
      hashes[row] = hash;
      largest_of[row] = largest;
      sum_of[row] = sum;
    }
  }
  for (int c = 0; c < columns; ++c) {
    to[c] = __float2half(expf(__half2float(from[c]) - largest) / sum);
  }
}

//@ case leaves_an_output_that_is_there
//@ task row_sum
//@ expect no_gain
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (sums[row] == sums[row]) {  // not poison
    for (int wait = 0; wait < 4; ++wait) __nanosleep(4000);
    return;
  }
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
}

//@ case remembers_in_its_scratch_that_it_was_here
//@ task row_sum
//@ expect no_gain
//@ scratch seen i32 rows
//@ launch row_sum | ceil_div(rows, block_x) | 128 | seen, x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(int* seen, const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (seen[row] == 0x5eed0000 + columns) {
    for (int wait = 0; wait < 4; ++wait) __nanosleep(4000);
    return;
  }
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  sums[row] = sum;
  seen[row] = 0x5eed0000 + columns;
}
