// A BM by BN tile a block and a TM by TN patch a thread, BK steps of k at a time in shared memory.
// VECTOR floats a global load; the tile of A is stored transposed.
#include "vectors.cuh"

constexpr int kThreads = BM / TM * (BN / TN);

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[BK][BM + PAD];
  __shared__ float tile_b[BK][BN];
  int patch_row = threadIdx.x / (BN / TN) * TM;
  int patch_column = threadIdx.x % (BN / TN) * TN;
  a += static_cast<size_t>(blockIdx.y) * BM * k;
  b += blockIdx.x * BN;
  c += static_cast<size_t>(blockIdx.y) * BM * n + blockIdx.x * BN;

  float sums[TM][TN] = {};
  float values[VECTOR];
  for (int start = 0; start < k; start += BK) {
#pragma unroll
    for (int i = threadIdx.x * VECTOR; i < BM * BK; i += kThreads * VECTOR) {
      load_floats(a + i / BK * k + start + i % BK, values);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) tile_a[i % BK + j][i / BK] = values[j];
    }
#pragma unroll
    for (int i = threadIdx.x * VECTOR; i < BK * BN; i += kThreads * VECTOR) {
      load_floats(b + (start + i / BN) * n + i % BN, values);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) tile_b[i / BN][i % BN + j] = values[j];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float left[TM];
      float right[TN];
#pragma unroll
      for (int r = 0; r < TM; ++r) left[r] = tile_a[i][patch_row + r];
#pragma unroll
      for (int s = 0; s < TN; ++s) right[s] = tile_b[i][patch_column + s];
#pragma unroll
      for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int s = 0; s < TN; ++s) sums[r][s] += left[r] * right[s];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r) {
#pragma unroll
    for (int s = 0; s < TN; ++s) c[(patch_row + r) * n + patch_column + s] = sums[r][s];
  }
}
