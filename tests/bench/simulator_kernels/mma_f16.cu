// Tensor instructions: each warp multiplies the 16 x 16 and 16 x 8 tiles in shared memory `rounds`
// times, fetching them anew each time, and adds the products up. One block of 128 threads.
#include <cuda_fp16.h>

extern "C" __global__ void mma_f16(const __half* in, float* out, int rounds) {
  __shared__ __align__(16) __half left[16 * 24];
  __shared__ __align__(16) __half right[16 * 8];
  for (int i = threadIdx.x; i < 16 * 24; i += 128) left[i] = in[i];
  right[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const unsigned row_a = static_cast<unsigned>(
      __cvta_generic_to_shared(left + lane % 16 * 24 + lane / 16 * 8));
  const unsigned row_b =
      static_cast<unsigned>(__cvta_generic_to_shared(right + lane % 16 * 8));
  float sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < rounds; ++i) {
    unsigned a[4];
    unsigned b[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(row_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(row_b));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  out[(blockIdx.x * 128 + threadIdx.x)] = sum[0] + sum[1] + sum[2] + sum[3];
}
