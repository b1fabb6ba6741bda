// Each row of `columns` elements gets mean 0 and variance 1, one block of 256 threads a row.
#include <cuda_fp16.h>

extern "C" __global__ void layernorm_f16(const __half* in, __half* out, int columns) {
  __shared__ float sums[256];
  __shared__ float squares[256];
  const __half* row = in + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0;
  float square = 0;
  for (int i = threadIdx.x; i < columns; i += 256) {
    const float value = __half2float(row[i]);
    sum += value;
    square += value * value;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      squares[threadIdx.x] += squares[threadIdx.x + step];
    }
    __syncthreads();
  }
  const float mean = sums[0] / columns;
  const float scale = rsqrtf(squares[0] / columns - mean * mean + 1e-5F);
  __half* to = out + static_cast<size_t>(blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += 256) {
    to[i] = __float2half((__half2float(row[i]) - mean) * scale);
  }
}
