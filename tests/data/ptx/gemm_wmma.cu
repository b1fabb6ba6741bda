// C = A * B + bias of each column, by the wmma interface. 64x64x64, one block of 128 threads; each
// warp has 32x32 of C. A and B pass through shared memory; the bias is added on the fragment.
// Made into gemm_wmma.ptx with: nvcc -ptx -arch=sm_80 gemm_wmma.cu
#include <cuda_fp16.h>
#include <mma.h>

namespace {
constexpr int kSize = 64;
constexpr int kLine = kSize + 8;  // of shared memory, against bank conflicts
}  // namespace

extern "C" __global__ void gemm_wmma(const half* a, const half* b, const float* bias, float* c) {
  using namespace nvcuda;
  __shared__ __align__(32) half a_tile[kSize * kLine];
  __shared__ __align__(32) half b_tile[kSize * kLine];
  for (int i = threadIdx.x; i < kSize * kSize; i += blockDim.x) {
    a_tile[i / kSize * kLine + i % kSize] = a[i];
    b_tile[i / kSize * kLine + i % kSize] = b[i];
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  const int row = warp / 2 * 32;
  const int column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& line : sums) {
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  for (int k = 0; k < kSize; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[2];
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(left[i], a_tile + (row + 16 * i) * kLine + k, kLine);
      wmma::load_matrix_sync(right[i], b_tile + k * kLine + column + 16 * i, kLine);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
  }
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      // Where sm_80 keeps element e of a lane.
      for (int e = 0; e < sums[i][j].num_elements; ++e) {
        const int own = lane % 4 * 2 + e % 2 + e / 4 * 8;
        sums[i][j].x[e] += bias[column + 16 * j + own];
      }
      wmma::store_matrix_sync(c + (row + 16 * i) * kSize + column + 16 * j, sums[i][j], kSize,
                              wmma::mem_row_major);
    }
  }
}
