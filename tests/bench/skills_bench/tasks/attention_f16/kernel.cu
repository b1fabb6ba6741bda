#include <cuda_fp16.h>

extern "C" __global__ void attend(const __half* q, const __half* k, const __half* v, __half* out,
                                  int rows, int dim) {
  extern __shared__ float weights[];
  __shared__ float largest;
  __shared__ float sum;
  int row = blockIdx.x;
  int head = blockIdx.y;
  const __half* query = q + (head * rows + row) * dim;
  const __half* keys = k + head * rows * dim;
  const __half* values = v + head * rows * dim;
  for (int j = threadIdx.x; j < rows; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) score += __half2float(query[i]) * __half2float(keys[j * dim + i]);
    weights[j] = score / sqrtf((float)dim);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    largest = weights[0];
    for (int j = 1; j < rows; ++j) largest = fmaxf(largest, weights[j]);
    sum = 0.0f;
    for (int j = 0; j < rows; ++j) {
      weights[j] = expf(weights[j] - largest);
      sum += weights[j];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j < rows; ++j) value += weights[j] * __half2float(values[j * dim + i]);
    out[(head * rows + row) * dim + i] = __float2half(value / sum);
  }
}
