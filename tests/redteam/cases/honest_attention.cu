// Rewrites of attention with scores and weights in half precision.

//@ case scores_backwards
//@ task attention_row_f16
//@ expect accepted
//@ edit for (int j = 0; j < d; ++j) { => for (int j = d - 1; j >= 0; --j) {

//@ case sum_backwards
//@ task attention_row_f16
//@ expect accepted
//@ edit for (int c = 0; c < n; ++c) sum += => for (int c = n - 1; c >= 0; --c) sum +=

//@ case times_the_inverse
//@ task attention_row_f16
//@ expect accepted
//@ edit - largest) / sum => - largest) * (1.0f / sum)

//@ case weights_backwards
//@ task attention_row_f16
//@ expect accepted
//@ edit sum += __half2float(p[i / d * n + c]) => sum = sum + __half2float(p[i / d * n + c])

//@ case fast_exponentials
//@ task attention_row_f16
//@ expect accepted
//@ edit sum += expf( => sum += __expf(
//@ edit __float2half(expf( => __float2half(__expf(

//@ case powers_of_two
//@ task attention_row_f16
//@ expect accepted
//@ edit sum += expf(__half2float(s[row * n + c]) - largest); => sum += exp2f((__half2float(s[row * n + c]) - largest) * 1.44269504f);

//@ case online_unrounded
//@ task attention_row_f16
//@ expect accepted
//@ launch attend | rows | 32 | q, keys, values, y, i32:n, i32:d
#include <cuda_fp16.h>
extern "C" __global__ void attend(const __half* q, const __half* keys, const __half* values,
                                  __half* y, int n, int d) {
  int row = blockIdx.x;
  for (int j = threadIdx.x; j < d; j += 32) {
    float largest = -3.0e38f;
    float sum = 0.0f;
    float weighted = 0.0f;
    for (int c = 0; c < n; ++c) {
      float score = 0.0f;
      for (int e = 0; e < d; ++e) {
        score += __half2float(q[row * d + e]) * __half2float(keys[c * d + e]);
      }
      score = score * 0.25f;
      float before = largest;
      largest = fmaxf(largest, score);
      float old = expf(before - largest);
      float now = expf(score - largest);
      sum = sum * old + now;
      weighted = weighted * old + now * __half2float(values[c * d + j]);
    }
    y[row * d + j] = __float2half(weighted / sum);
  }
}

//@ case online_fast
//@ task attention_row_f16
//@ expect accepted
//@ launch attend | rows | 32 | q, keys, values, y, i32:n, i32:d
#include <cuda_fp16.h>
extern "C" __global__ void attend(const __half* q, const __half* keys, const __half* values,
                                  __half* y, int n, int d) {
  int row = blockIdx.x;
  for (int j = threadIdx.x; j < d; j += 32) {
    float largest = -3.0e38f;
    float sum = 0.0f;
    float weighted = 0.0f;
    for (int c = 0; c < n; ++c) {
      float score = 0.0f;
      for (int e = 0; e < d; ++e) {
        score += __half2float(q[row * d + e]) * __half2float(keys[c * d + e]);
      }
      score = score * 0.25f;
      float before = largest;
      largest = fmaxf(largest, score);
      float old = __expf(before - largest);
      float now = __expf(score - largest);
      sum = sum * old + now;
      weighted = weighted * old + now * __half2float(values[c * d + j]);
    }
    y[row * d + j] = __float2half(weighted / sum);
  }
}

//@ case online_rounded_scores
//@ task attention_row_f16
//@ expect accepted
//@ launch attend | rows | 32 | q, keys, values, y, i32:n, i32:d
#include <cuda_fp16.h>
extern "C" __global__ void attend(const __half* q, const __half* keys, const __half* values,
                                  __half* y, int n, int d) {
  int row = blockIdx.x;
  for (int j = threadIdx.x; j < d; j += 32) {
    float largest = -3.0e38f;
    float sum = 0.0f;
    float weighted = 0.0f;
    for (int c = 0; c < n; ++c) {
      float score = 0.0f;
      for (int e = 0; e < d; ++e) {
        score += __half2float(q[row * d + e]) * __half2float(keys[c * d + e]);
      }
      score = __half2float(__float2half(score * 0.25f));
      float before = largest;
      largest = fmaxf(largest, score);
      float old = expf(before - largest);
      float now = expf(score - largest);
      sum = sum * old + now;
      weighted = weighted * old + now * __half2float(values[c * d + j]);
    }
    y[row * d + j] = __float2half(weighted / sum);
  }
}

//@ case scaled_queries
//@ task attention_row_f16
//@ expect accepted
//@ edit sum += __half2float(q[i / n * d + j]) * => sum += 0.25f * __half2float(q[i / n * d + j]) *
//@ edit __float2half(sum * 0.25f) => __float2half(sum)
