// Rewrites of a chain that keeps half precision between launches and then cancels.

//@ case backwards
//@ task centred_f16
//@ expect accepted
//@ edit for (int j = 0; j < k; ++j) { => for (int j = k - 1; j >= 0; --j) {

//@ case fused_multiply_add
//@ task centred_f16
//@ expect accepted
//@ edit sum += __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); => sum = fmaf(__half2float(a[row * k + j]), __half2float(w[j * columns + column]), sum);

//@ case in_double
//@ task centred_f16
//@ expect accepted
//@ edit float sum = 0.0f; => double sum = 0.0;
//@ edit sum += __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); => sum += double(__half2float(a[row * k + j])) * __half2float(w[j * columns + column]);

//@ case two_sums
//@ task centred_f16
//@ expect accepted
//@ edit float sum = 0.0f; => float sum = 0.0f, odd = 0.0f;
//@ edit sum += __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); => float t = __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); if (j & 1) odd += t; else sum += t;
//@ edit 1.0f + sum * 0.015625f => 1.0f + (sum + odd) * 0.015625f

//@ case scaled_terms
//@ task centred_f16
//@ expect accepted
//@ edit sum += __half2float(a[row * k + j]) * __half2float(w[j * columns + column]); => sum += 0.015625f * __half2float(a[row * k + j]) * __half2float(w[j * columns + column]);
//@ edit 1.0f + sum * 0.015625f => 1.0f + sum

//@ case starts_from_one
//@ task centred_f16
//@ expect accepted
//@ edit float sum = 0.0f; => float sum = 64.0f;
//@ edit 1.0f + sum * 0.015625f => sum * 0.015625f

//@ case mean_backwards
//@ task centred_f16
//@ expect accepted
//@ edit for (int c = 0; c < columns; ++c) sum += => for (int c = columns - 1; c >= 0; --c) sum +=

//@ case mean_of_scaled
//@ task centred_f16
//@ expect accepted
//@ edit sum += __half2float(h[row * columns + c]); => sum += __half2float(h[row * columns + c]) / columns;
//@ edit mean[row] = sum / columns; => mean[row] = sum;

//@ case gain_first
//@ task centred_f16
//@ expect accepted
//@ edit (__half2float(h[i]) - mean[i / columns]) * 64.0f => __half2float(h[i]) * 64.0f - mean[i / columns] * 64.0f

//@ case without_the_one
//@ task centred_f16
//@ expect accepted
//@ edit 1.0f + sum * 0.015625f => sum * 0.015625f

//@ case fused_unrounded
//@ task centred_f16
//@ expect accepted
//@ launch fused | rows | 64 | a, w, y, i32:columns, i32:k
#include <cuda_fp16.h>
extern "C" __global__ void fused(const __half* a, const __half* w, __half* y, int columns, int k) {
  __shared__ float part[64];
  int row = blockIdx.x;
  float own[8];
  float total = 0.0f;
  int count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) {
      sum = fmaf(__half2float(a[row * k + j]), __half2float(w[j * columns + c]), sum);
    }
    own[count] = 1.0f + sum * 0.015625f;
    total += own[count];
  }
  part[threadIdx.x] = total;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  float mean = part[0] / columns;
  count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    y[row * columns + c] = __float2half((own[count] - mean) * 64.0f);
  }
}

//@ case fused_rounded
//@ task centred_f16
//@ expect accepted
//@ launch fused | rows | 64 | a, w, y, i32:columns, i32:k
#include <cuda_fp16.h>
extern "C" __global__ void fused(const __half* a, const __half* w, __half* y, int columns, int k) {
  __shared__ float part[64];
  int row = blockIdx.x;
  float own[8];
  float total = 0.0f;
  int count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) {
      sum = fmaf(__half2float(a[row * k + j]), __half2float(w[j * columns + c]), sum);
    }
    own[count] = __half2float(__float2half(1.0f + sum * 0.015625f));
    total += own[count];
  }
  part[threadIdx.x] = total;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  float mean = part[0] / columns;
  count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    y[row * columns + c] = __float2half((own[count] - mean) * 64.0f);
  }
}

//@ case fused_without_the_one
//@ task centred_f16
//@ expect accepted
//@ launch fused | rows | 64 | a, w, y, i32:columns, i32:k
#include <cuda_fp16.h>
extern "C" __global__ void fused(const __half* a, const __half* w, __half* y, int columns, int k) {
  __shared__ float part[64];
  int row = blockIdx.x;
  float own[8];
  float total = 0.0f;
  int count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) {
      sum = fmaf(__half2float(a[row * k + j]), __half2float(w[j * columns + c]), sum);
    }
    own[count] = sum * 0.015625f;
    total += own[count];
  }
  part[threadIdx.x] = total;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  float mean = part[0] / columns;
  count = 0;
  for (int c = threadIdx.x; c < columns; c += 64, ++count) {
    y[row * columns + c] = __float2half((own[count] - mean) * 64.0f);
  }
}
