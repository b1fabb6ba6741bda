// Softmax of each row of `columns` elements, one block of 256 threads a row.
#include <cuda_fp16.h>

__device__ float reduce(float value, bool is_sum, float* shared) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffU, value, step);
    value = is_sum ? value + other : fmaxf(value, other);
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
  for (int warp = 1; warp < 8; ++warp) {
    value = is_sum ? value + shared[warp] : fmaxf(value, shared[warp]);
  }
  __syncthreads();
  return value;
}

extern "C" __global__ void softmax_f16(const __half* in, __half* out, int columns) {
  __shared__ float shared[8];
  const __half* row = in + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 256) largest = fmaxf(largest, __half2float(row[i]));
  largest = reduce(largest, false, shared);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(__half2float(row[i]) - largest);
  sum = reduce(sum, true, shared);
  __half* to = out + static_cast<size_t>(blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += 256) {
    to[i] = __float2half(expf(__half2float(row[i]) - largest) / sum);
  }
}
