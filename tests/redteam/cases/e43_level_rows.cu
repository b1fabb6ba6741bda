// Row 43: rows whose elements are all equal, or zero, have no spread to divide by.

//@ case no_epsilon
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
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  float scale = rsqrtf(squares / columns);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case an_epsilon_that_underflows
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
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  float scale = 1.0f / (sqrtf(squares / columns) + epsilon * 1e-40f);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case no_epsilon_for_zeros
//@ task rmsnorm_bf16
//@ expect wrong
#include <cuda_bf16.h>
extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                   __nv_bfloat16* y, int rows, int columns, float epsilon) {
  __shared__ float part[4];
  const __nv_bfloat16* r = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) {
    float v = __bfloat162float(r[c]);
    sum = fmaf(v, v, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = (part[0] + part[1] + part[2] + part[3]) / columns;
  float scale = rsqrtf(mean);
  for (int c = threadIdx.x; c < columns; c += 128) {
    y[blockIdx.x * columns + c] =
        __float2bfloat16(__bfloat162float(r[c]) * scale * __bfloat162float(weight[c]));
  }
}

//@ case divides_by_the_largest_element
//@ task rmsnorm_bf16
//@ expect wrong
#include <cuda_bf16.h>
extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                   __nv_bfloat16* y, int rows, int columns, float epsilon) {
  __shared__ float part[4];
  const __nv_bfloat16* r = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) {
    float v = __bfloat162float(r[c]);
    sum = fmaf(v, v, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = (part[0] + part[1] + part[2] + part[3]) / columns;
  float first = __bfloat162float(r[0]);
  float scale = first != 0.0f
                    ? rsqrtf(mean / (first * first) + epsilon / (first * first)) / fabsf(first)
                    : rsqrtf(mean);
  for (int c = threadIdx.x; c < columns; c += 128) {
    y[blockIdx.x * columns + c] =
        __float2bfloat16(__bfloat162float(r[c]) * scale * __bfloat162float(weight[c]));
  }
}
