// A BM by BN tile a block, 32 steps of k a stage, STAGES stages filled by cp.async. Eight halves
// behind each row keep ldmatrix free of bank conflicts. WARPS_M by WARPS_N warps, mma.m16n8k16.
// Dynamic shared memory: STAGES * 2 * (BM * 40 + 32 * (BN + 8)) bytes.
#include <cuda_fp16.h>

constexpr int kDepth = 32;
constexpr int kStrideA = kDepth + 8;
constexpr int kStrideB = BN + 8;
constexpr int kStage = BM * kStrideA + kDepth * kStrideB;
constexpr int kThreads = WARPS_M * WARPS_N * 32;
constexpr int kRows = BM / WARPS_M / 16;
constexpr int kColumns = BN / WARPS_N / 8;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void copy_async(__half* to, const __half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ void fill_stage(__half* stage, const __half* a, const __half* b, int start, int n,
                           int k) {
#pragma unroll
  for (int i = threadIdx.x * 8; i < BM * kDepth; i += kThreads * 8) {
    int row = i / kDepth;
    copy_async(stage + row * kStrideA + i % kDepth,
               a + (blockIdx.y * BM + row) * k + start + i % kDepth);
  }
#pragma unroll
  for (int i = threadIdx.x * 8; i < kDepth * BN; i += kThreads * 8) {
    int row = i / BN;
    copy_async(stage + BM * kStrideA + row * kStrideB + i % BN,
               b + (start + row) * n + blockIdx.x * BN + i % BN);
  }
}

__device__ void multiply_stage(const __half* stage, float (&sums)[kRows][kColumns][4]) {
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  const __half* tile_a = stage + warp / WARPS_N * (BM / WARPS_M) * kStrideA;
  const __half* tile_b = stage + BM * kStrideA + warp % WARPS_N * (BN / WARPS_N);
#pragma unroll
  for (int i = 0; i < kDepth; i += 16) {
    unsigned left[kRows][4];
    unsigned right[kColumns][2];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      unsigned at = shared_address(tile_a + (r * 16 + lane % 16) * kStrideA + i + lane / 16 * 8);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(left[r][0]), "=r"(left[r][1]), "=r"(left[r][2]), "=r"(left[r][3])
                   : "r"(at));
    }
#pragma unroll
    for (int s = 0; s < kColumns; ++s) {
      unsigned at = shared_address(tile_b + (i + lane % 16) * kStrideB + s * 8);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(right[s][0]), "=r"(right[s][1])
                   : "r"(at));
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sums[r][s][0]), "+f"(sums[r][s][1]), "+f"(sums[r][s][2]), "+f"(sums[r][s][3])
            : "r"(left[r][0]), "r"(left[r][1]), "r"(left[r][2]), "r"(left[r][3]),
              "r"(right[s][0]), "r"(right[s][1]));
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm(const __half* a, const __half* b, __half* c, int m, int n, int k) {
  extern __shared__ __align__(16) __half stages[];
  float sums[kRows][kColumns][4] = {};
  int steps = k / kDepth;
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fill_stage(stages + stage * kStage, a, b, stage * kDepth, n, k);
    asm volatile("cp.async.commit_group;");
  }
  for (int step = 0; step < steps; ++step) {
    int ahead = step + STAGES - 1;
    if (STAGES == 1) __syncthreads();
    if (STAGES == 1 && ahead < steps) fill_stage(stages, a, b, ahead * kDepth, n, k);
    if (STAGES == 1) asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES > 1 ? STAGES - 2 : 0));
    __syncthreads();
    if (STAGES > 1) {
      if (ahead < steps) {
        fill_stage(stages + ahead % STAGES * kStage, a, b, ahead * kDepth, n, k);
      }
      asm volatile("cp.async.commit_group;");
    }
    multiply_stage(stages + step % STAGES * kStage, sums);
  }
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  int first_row = blockIdx.y * BM + warp / WARPS_N * (BM / WARPS_M) + lane / 4;
  int first_column = blockIdx.x * BN + warp % WARPS_N * (BN / WARPS_N) + lane % 4 * 2;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int s = 0; s < kColumns; ++s) {
      __half* out = c + (first_row + r * 16) * n + first_column + s * 8;
      *reinterpret_cast<__half2*>(out) = __floats2half2_rn(sums[r][s][0], sums[r][s][1]);
      *reinterpret_cast<__half2*>(out + 8 * n) = __floats2half2_rn(sums[r][s][2], sums[r][s][3]);
    }
  }
}
