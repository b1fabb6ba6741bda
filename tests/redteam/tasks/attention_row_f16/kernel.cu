#include <cuda_fp16.h>

extern "C" __global__ void scores(const __half* q, const __half* keys, __half* s, int rows, int n,
                                  int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  float sum = 0.0f;
  for (int j = 0; j < d; ++j) {
    sum += __half2float(q[i / n * d + j]) * __half2float(keys[i % n * d + j]);
  }
  s[i] = __float2half(sum * 0.25f);
}

extern "C" __global__ void softmax(const __half* s, __half* p, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = __half2float(s[row * n]);
  for (int c = 1; c < n; ++c) largest = fmaxf(largest, __half2float(s[row * n + c]));
  float sum = 0.0f;
  for (int c = 0; c < n; ++c) sum += expf(__half2float(s[row * n + c]) - largest);
  for (int c = 0; c < n; ++c) {
    p[row * n + c] = __float2half(expf(__half2float(s[row * n + c]) - largest) / sum);
  }
}

extern "C" __global__ void weigh(const __half* p, const __half* values, __half* y, int rows, int n,
                                 int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * d) return;
  float sum = 0.0f;
  for (int c = 0; c < n; ++c) {
    sum += __half2float(p[i / d * n + c]) * __half2float(values[c * d + i % d]);
  }
  y[i] = __float2half(sum);
}
