#include <cuda_fp16.h>

extern "C" __global__ void append(const int* token_nums, const int* past_length, const __half* qkv,
                                  __half* k_cache, __half* v_cache, int batch, int heads, int rows,
                                  int dim) {
  int head = blockIdx.x;
  int token = blockIdx.y;
  int sample = 0;
  int step = token;
  while (sample < batch && step >= token_nums[sample]) {
    step -= token_nums[sample];
    ++sample;
  }
  if (sample == batch) return;
  int row = (sample * heads + head) * rows + past_length[sample] + step;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    k_cache[row * dim + i] = qkv[((token * 3 + 1) * heads + head) * dim + i];
    v_cache[row * dim + i] = qkv[((token * 3 + 2) * heads + head) * dim + i];
  }
}

extern "C" __global__ void attend(const int* token_nums, const int* past_length, const __half* qkv,
                                  const __half* k_cache, const __half* v_cache, __half* out,
                                  int batch, int heads, int rows, int dim) {
  extern __shared__ float scores[];
  __shared__ float largest;
  __shared__ float sum;
  int head = blockIdx.x;
  int token = blockIdx.y;
  int sample = 0;
  int step = token;
  while (sample < batch && step >= token_nums[sample]) {
    step -= token_nums[sample];
    ++sample;
  }
  if (sample == batch) {
    for (int i = threadIdx.x; i < dim; i += blockDim.x) {
      out[(token * heads + head) * dim + i] = __float2half(0.0f);
    }
    return;
  }
  int length = past_length[sample] + step + 1;
  const __half* query = qkv + (token * 3 * heads + head) * dim;
  const __half* keys = k_cache + (sample * heads + head) * rows * dim;
  const __half* values = v_cache + (sample * heads + head) * rows * dim;

  for (int j = threadIdx.x; j < length; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(query[i]) * __half2float(keys[j * dim + i]);
    }
    scores[j] = score / sqrtf((float)dim);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    largest = scores[0];
    for (int j = 1; j < length; ++j) largest = fmaxf(largest, scores[j]);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < length; j += blockDim.x) {
    scores[j] = expf(scores[j] - largest);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0.0f;
    for (int j = 0; j < length; ++j) sum += scores[j];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j < length; ++j) value += scores[j] * __half2float(values[j * dim + i]);
    out[(token * heads + head) * dim + i] = __float2half(value / sum);
  }
}
