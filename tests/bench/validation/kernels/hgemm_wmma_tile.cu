// A BM by BN tile a block through shared memory, 32 steps of k at a time, four warps in a square,
// each with its quarter of the tile. PAD halves behind each row of the tiles.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kDepth = 32;
constexpr int kRows = BM / 2 / 16;
constexpr int kColumns = BN / 2 / 16;

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __half* a, const __half* b, __half* c, int m, int n, int k) {
  __shared__ __align__(16) __half tile_a[BM][kDepth + PAD];
  __shared__ __align__(16) __half tile_b[kDepth][BN + PAD];
  int warp = threadIdx.x / 32;
  int warp_row = warp / 2 * (BM / 2);
  int warp_column = warp % 2 * (BN / 2);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kRows][kColumns];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int s = 0; s < kColumns; ++s) wmma::fill_fragment(sums[r][s], 0.0f);
  }
  for (int start = 0; start < k; start += kDepth) {
#pragma unroll
    for (int i = threadIdx.x * 8; i < BM * kDepth; i += 128 * 8) {
      int row = i / kDepth;
      *reinterpret_cast<uint4*>(&tile_a[row][i % kDepth]) =
          *reinterpret_cast<const uint4*>(a + (blockIdx.y * BM + row) * k + start + i % kDepth);
    }
#pragma unroll
    for (int i = threadIdx.x * 8; i < kDepth * BN; i += 128 * 8) {
      int row = i / BN;
      *reinterpret_cast<uint4*>(&tile_b[row][i % BN]) =
          *reinterpret_cast<const uint4*>(b + (start + row) * n + blockIdx.x * BN + i % BN);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDepth; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[kRows];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        wmma::load_matrix_sync(left[r], &tile_a[warp_row + r * 16][i], kDepth + PAD);
      }
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        wmma::load_matrix_sync(right, &tile_b[i][warp_column + s * 16], BN + PAD);
#pragma unroll
        for (int r = 0; r < kRows; ++r) wmma::mma_sync(sums[r][s], left[r], right, sums[r][s]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int s = 0; s < kColumns; ++s) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, __half> rounded;
#pragma unroll
      for (int i = 0; i < rounded.num_elements; ++i) {
        rounded.x[i] = __float2half(sums[r][s].x[i]);
      }
      wmma::store_matrix_sync(c + (blockIdx.y * BM + warp_row + r * 16) * n + blockIdx.x * BN +
                                  warp_column + s * 16,
                              rounded, n, wmma::mem_row_major);
    }
  }
}
