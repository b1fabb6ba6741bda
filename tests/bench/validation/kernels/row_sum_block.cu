// One group of BLOCK threads a row, VECTOR floats a load; BLOCK 32 is one warp a row. INTERLEAVED
// sums the block in shared memory with a growing stride, which conflicts on the banks.
#include "vectors.cuh"

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float partial[1024];
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / BLOCK;
  int first = threadIdx.x % BLOCK * VECTOR;
  if (row >= rows) return;

  float values[VECTOR];
  float sum = 0.0f;
  for (int i = first; i < columns; i += BLOCK * VECTOR) {
    load_floats(x + static_cast<size_t>(row) * columns + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) sum += values[j];
  }
#if INTERLEAVED
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 1; stride < BLOCK; stride *= 2) {
    int at = 2 * stride * threadIdx.x;
    if (at < BLOCK) partial[at] += partial[at + stride];
    __syncthreads();
  }
  sum = partial[0];
#else
  sum = BLOCK == 32 ? warp_sum(sum) : block_sum<BLOCK>(sum, partial);
#endif
  if (first == 0) sums[row] = sum;
}
