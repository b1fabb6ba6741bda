#include <cuda_fp16.h>

extern "C" __global__ void span_decode(const int* lengths, const int* named, const __half* q,
                                       const __half* k_cache, const __half* v_cache, __half* out,
                                       int heads, int rows, int dim) {
  extern __shared__ float weights[];
  __shared__ float sum;
  int head = blockIdx.x;
  int sample = blockIdx.y;
  int length = lengths[sample];
  const __half* query = q + (sample * heads + head) * dim;
  const __half* keys = k_cache + (sample * heads + head) * rows * dim;
  const __half* values = v_cache + (sample * heads + head) * rows * dim;

  for (int j = threadIdx.x; j < length; j += blockDim.x) {
    bool seen = j < 8 || j >= length - 32;
    for (int n = 0; n < 4; ++n) {
      seen = seen || named[sample * 4 + n] == j / 64;
    }
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(query[i]) * __half2float(keys[j * dim + i]);
    }
    weights[j] = seen ? score / sqrtf((float)dim) : -INFINITY;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = weights[0];
    for (int j = 1; j < length; ++j) largest = fmaxf(largest, weights[j]);
    sum = 0.0f;
    for (int j = 0; j < length; ++j) {
      weights[j] = expf(weights[j] - largest);
      sum += weights[j];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j < length; ++j) {
      value += weights[j] * __half2float(values[j * dim + i]);
    }
    out[(sample * heads + head) * dim + i] = __float2half(value / sum);
  }
}
