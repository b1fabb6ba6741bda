// One warp a 16 by 16 element tile of C through wmma, operands straight from global memory.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void gemm(const __half* a, const __half* b, __half* c, int m, int n, int k) {
  int column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  if (row >= m || column >= n) return;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::load_matrix_sync(left, a + row * k + i, k);
    wmma::load_matrix_sync(right, b + i * n + column, n);
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> rounded;
#pragma unroll
  for (int i = 0; i < sums.num_elements; ++i) rounded.x[i] = __float2half(sums.x[i]);
  wmma::store_matrix_sync(c + row * n + column, rounded, n, wmma::mem_row_major);
}
