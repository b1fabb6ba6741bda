// One block of BLOCK threads a row, VECTOR halves a load. STAGED keeps the row in shared memory
// (4 bytes a column of dynamic shared memory) instead of reading it again.
#include "vectors.cuh"

extern __shared__ float staged[];

__device__ void row_values(const __half* in, int i, float (&values)[VECTOR]) {
#if STAGED
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) values[j] = staged[i + j];
#else
  load_halves(in + i, values);
#endif
}

extern "C" __global__ void softmax(const __half* x, __half* y, int rows, int columns) {
  __shared__ float partial[32];
  const __half* in = x + static_cast<size_t>(blockIdx.x) * columns;
  __half* out = y + static_cast<size_t>(blockIdx.x) * columns;

  float values[VECTOR];
  float largest = -65504.0f;
  for (int i = threadIdx.x * VECTOR; i < columns; i += BLOCK * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      largest = fmaxf(largest, values[j]);
#if STAGED
      staged[i + j] = values[j];
#endif
    }
  }
  largest = block_max<BLOCK>(largest, partial);
  float sum = 0.0f;
  for (int i = threadIdx.x * VECTOR; i < columns; i += BLOCK * VECTOR) {
    row_values(in, i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) sum += __expf(values[j] - largest);
  }
  float scale = 1.0f / block_sum<BLOCK>(sum, partial);
  for (int i = threadIdx.x * VECTOR; i < columns; i += BLOCK * VECTOR) {
    row_values(in, i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[j] = __expf(values[j] - largest) * scale;
    store_halves(out + i, values);
  }
}
