#include <cuda_fp16.h>

extern "C" __global__ void span_attention(const int* named, const __half* q, const __half* k,
                                          const __half* v, __half* out, int tokens, int prompt,
                                          int dim) {
  extern __shared__ float weights[];
  __shared__ float sum;
  int token = blockIdx.x;
  int head = blockIdx.y;
  int segment = token / 32;
  const __half* query = q + (head * tokens + token) * dim;

  for (int j = threadIdx.x; j <= token; j += blockDim.x) {
    bool seen = token < prompt || j < 8 || j / 32 == segment;
    for (int n = 0; n < 3; ++n) {
      seen = seen || named[segment * 3 + n] == j / 32;
    }
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(query[i]) * __half2float(k[(head * tokens + j) * dim + i]);
    }
    weights[j] = seen ? score / sqrtf((float)dim) : -INFINITY;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = weights[0];
    for (int j = 1; j <= token; ++j) largest = fmaxf(largest, weights[j]);
    sum = 0.0f;
    for (int j = 0; j <= token; ++j) {
      weights[j] = expf(weights[j] - largest);
      sum += weights[j];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j <= token; ++j) {
      value += weights[j] * __half2float(v[(head * tokens + j) * dim + i]);
    }
    out[(head * tokens + token) * dim + i] = __float2half(value / sum);
  }
}
