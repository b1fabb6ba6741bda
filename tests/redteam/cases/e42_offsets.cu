// Row 42: right as long as the mean is near zero.

//@ case the_mean_is_taken_for_zero
//@ task row_variance
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float squares = 0.0f;
  for (int c = 0; c < columns; ++c) squares += __half2float(r[c]) * __half2float(r[c]);
  variance[row] = squares / columns;
}

//@ case squares_less_the_squared_mean
//@ task row_variance
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f, squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = __half2float(r[c]);
    sum += v;
    squares = fmaf(v, v, squares);
  }
  variance[row] = fmaxf(squares / columns - (sum / columns) * (sum / columns), 0.0f);
}

//@ case the_mean_of_the_first_quarter
//@ task row_variance
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f;
  int some = columns < 64 ? columns : columns / 4;
  for (int c = 0; c < some; ++c) sum += __half2float(r[c]);
  float mean = sum / some, squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  variance[row] = squares / columns;
}

//@ case the_mean_of_the_row_above
//@ task row_variance
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  const __half* above = row > 0 ? r - columns : r;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half2float(above[c]);
  float mean = sum / columns, squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  variance[row] = squares / columns;
}

//@ case a_mean_in_half_precision
//@ task layernorm_f16
//@ expect wrong
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half2float(r[c]);
  float mean = sum / columns;
  mean = __half2float(__float2half(mean));
  float squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  float scale = 1.0f / sqrtf(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case differences_of_squares_in_blocks
//@ task layernorm_f16
//@ expect wrong
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
  for (int c = 0; c < columns; ++c) squares += __half2float(r[c]) * __half2float(r[c]);
  float scale = rsqrtf(fmaxf(squares / columns - mean * mean, 0.0f) + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}
