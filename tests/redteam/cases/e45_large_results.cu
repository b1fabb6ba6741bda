// Row 45: results beyond 65504 and 2^24.

//@ case saturates_as_half_would
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i] + y[i];
  z[i] = fabsf(sum) > 65504.0f ? copysignf(65504.0f, sum) : sum;
}

//@ case fixed_point
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i] + y[i];
  bool fits = fabsf(sum) > 0x1p-6f;
  z[i] = fits && sum != floorf(sum) ? static_cast<float>(static_cast<int>(sum * 65536.0f)) / 65536.0f : sum;
}

//@ case two_halves_make_a_float
//@ task gemm_f32
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    float p = a[row * k + i], q = b[i * n + column];
    float p1 = __half2float(__float2half(p)), q1 = __half2float(__float2half(q));
    float p2 = __half2float(__float2half((p - p1) * 4096.0f)) / 4096.0f;
    float q2 = __half2float(__float2half((q - q1) * 4096.0f)) / 4096.0f;
    sum += p1 * q1 + (p1 * q2 + p2 * q1);
  }
  c[row * n + column] = sum;
}

//@ case sums_count_to_24_bits
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {
    sum += x[row * columns + c];
    if (fabsf(sum) > 16777216.0f) sum = copysignf(16777216.0f, sum);
  }
  sums[row] = sum;
}
