#include <mma.h>

#include <cuda_fp16.h>

extern "C" __global__ void gemm_wmma(const __half* __restrict__ a, const __half* __restrict__ b,
                                     float* __restrict__ c, int n, int k) {
  using namespace nvcuda;
  int col = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  int row = blockIdx.y * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(left, a + (size_t)row * k + i, k);
    wmma::load_matrix_sync(right, b + (size_t)i * n + col, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + (size_t)row * n + col, sum, n, wmma::mem_row_major);
}
