// C = A * B with ldmatrix, mma.sync and cp.async into two buffers. 64x64x64, one block of 128
// threads; each warp has 32x32 of C; 16 columns of A and rows of B are on the way while the last
// 16 are multiplied. Made into gemm_mma.ptx with: nvcc -ptx -arch=sm_80 gemm_mma.cu
#include <cuda_fp16.h>

namespace {
constexpr int kSize = 64;
constexpr int kStep = 16;
constexpr int kALine = kStep + 8;
constexpr int kBLine = kSize + 8;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void copy_async(half* to, const half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ void load_left(unsigned (&to)[4], const half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row)));
}

__device__ void load_right(unsigned (&to)[2], const half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(shared_address(row)));
}

__device__ void multiply(float (&sum)[4], const unsigned (&left)[4], const unsigned (&right)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}
}  // namespace

extern "C" __global__ void gemm_mma(const half* a, const half* b, float* c) {
  __shared__ __align__(16) half a_tiles[2][kSize * kALine];
  __shared__ __align__(16) half b_tiles[2][kStep * kBLine];
  const int thread = threadIdx.x;
  const auto fetch = [&](int buffer, int k) {
    copy_async(a_tiles[buffer] + thread / 2 * kALine + thread % 2 * 8,
               a + thread / 2 * kSize + k + thread % 2 * 8);
    copy_async(b_tiles[buffer] + thread / 8 * kBLine + thread % 8 * 8,
               b + (k + thread / 8) * kSize + thread % 8 * 8);
    asm volatile("cp.async.commit_group;");
  };
  const int lane = thread % 32;
  const int row = thread / 64 * 32;
  const int column = thread / 32 % 2 * 32;
  float sums[2][4][4] = {};
  fetch(0, 0);
  for (int k = 0; k < kSize; k += kStep) {
    const int buffer = k / kStep % 2;
    if (k + kStep < kSize) {
      fetch(1 - buffer, k + kStep);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncthreads();
    unsigned left[2][4];
    unsigned right[4][2];
    for (int i = 0; i < 2; ++i) {
      load_left(left[i], a_tiles[buffer] + (row + 16 * i + lane % 16) * kALine + lane / 16 * 8);
    }
    for (int j = 0; j < 4; ++j) {
      load_right(right[j], b_tiles[buffer] + lane % 16 * kBLine + column + 8 * j);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) multiply(sums[i][j], left[i], right[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int e = 0; e < 4; ++e) {
        const int own_row = row + 16 * i + lane / 4 + e / 2 * 8;
        c[own_row * kSize + column + 8 * j + lane % 4 * 2 + e % 2] = sums[i][j][e];
      }
    }
  }
}
