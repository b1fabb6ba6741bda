// Row 24: fewer bits than the contract asks for.

//@ case products_in_half_precision
//@ task gemm_f32
//@ expect wrong
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum += __half2float(__hmul(__float2half(a[row * k + i]), __float2half(b[i * n + column])));
  }
  c[row * n + column] = sum;
}

//@ case operands_cut_to_tf32
//@ task gemm_f32
//@ expect wrong
__device__ float cut(float value) { return __int_as_float(__float_as_int(value) & 0xffffe000); }

extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += cut(a[row * k + i]) * cut(b[i * n + column]);
  c[row * n + column] = sum;
}

//@ case sums_in_bfloat16
//@ task row_sum
//@ expect wrong
#include <cuda_bf16.h>

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  __nv_bfloat16 sum = __float2bfloat16(0.0f);
  for (int c = 0; c < columns; ++c) sum = __hadd(sum, __float2bfloat16(x[row * columns + c]));
  sums[row] = __bfloat162float(sum);
}
