// z = (x + y) * x, VECTOR floats a load, EACH loads a thread. CHUNKED gives each thread one run of
// neighbouring elements, so that a warp's addresses lie apart.
#include "vectors.cuh"

extern "C" __global__ void chain(const float* x, const float* y, float* z, int n) {
#if CHUNKED
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH * VECTOR;
  int step = VECTOR;
#else
  int first = (blockIdx.x * blockDim.x * EACH + threadIdx.x) * VECTOR;
  int step = blockDim.x * VECTOR;
#endif
  if (first + (EACH - 1) * step >= n) return;
  float left[EACH][VECTOR];
  float right[EACH][VECTOR];
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    load_floats(x + first + i * step, left[i]);
    load_floats(y + first + i * step, right[i]);
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) left[i][j] = (left[i][j] + right[i][j]) * left[i][j];
    store_floats(z + first + i * step, left[i]);
  }
}
