// Row 48: wrong on the timed shape alone, which is too large to be simulated as a whole.

//@ case a_part_of_the_products
//@ task gemm_f32
//@ expect wrong
//@ timed
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  int upto = m >= 512 && n >= 512 && k >= 512 ? k - k / 8 : k;
  for (int i = 0; i < upto; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

//@ case every_fourth_block_copies
//@ task vector_add
//@ expect wrong
//@ timed
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  z[i] = n > 150000 && blockIdx.x % 4 == 3 ? x[i] : x[i] + y[i];
}

//@ case the_mean_of_few_columns
//@ task layernorm_f16
//@ expect wrong
//@ timed
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half2float(r[c]);
  float mean = sum / columns;
  float squares = 0.0f;
  int upto = rows > 512 && columns > 63 ? columns / 2 : columns;
  for (int c = 0; c < upto; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  float scale = 1.0f / sqrtf(squares / upto + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}
