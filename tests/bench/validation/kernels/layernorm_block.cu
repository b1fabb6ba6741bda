// One group of BLOCK threads a row, VECTOR halves a load; BLOCK 32 with several groups in a block
// is one warp a row. ONE_PASS takes mean and variance from one sweep.
#include "vectors.cuh"

__device__ float group_sum(float value, float* partial) {
  return BLOCK == 32 ? warp_sum(value) : block_sum<BLOCK>(value, partial);
}

extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  __shared__ float partial[32];
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / BLOCK;
  int first = threadIdx.x % BLOCK * VECTOR;
  if (row >= rows) return;
  const __half* in = x + static_cast<size_t>(row) * columns;
  __half* out = y + static_cast<size_t>(row) * columns;

  float values[VECTOR];
  float sum = 0.0f;
  float squares = 0.0f;
  for (int i = first; i < columns; i += BLOCK * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      sum += values[j];
      squares += values[j] * values[j];
    }
  }
  float mean = group_sum(sum, partial) / columns;
#if ONE_PASS
  float variance = group_sum(squares, partial) / columns - mean * mean;
#else
  squares = 0.0f;
  for (int i = first; i < columns; i += BLOCK * VECTOR) {
    load_halves(in + i, values);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) squares += (values[j] - mean) * (values[j] - mean);
  }
  float variance = group_sum(squares, partial) / columns;
#endif
  float scale = rsqrtf(variance + epsilon);
  float weights[VECTOR];
  float biases[VECTOR];
  for (int i = first; i < columns; i += BLOCK * VECTOR) {
    load_halves(in + i, values);
    load_halves(gamma + i, weights);
    load_halves(beta + i, biases);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[j] = (values[j] - mean) * scale * weights[j] + biases[j];
    store_halves(out + i, values);
  }
}
