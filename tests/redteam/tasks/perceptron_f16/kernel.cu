#include <cuda_fp16.h>

extern "C" __global__ void first_layer(const __half* x, const __half* w1, __half* h, int batch,
                                       int k, int hidden) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * hidden) return;
  int row = i / hidden;
  int column = i % hidden;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) {
    sum += __half2float(x[row * k + j]) * __half2float(w1[j * hidden + column]);
  }
  sum = sum * 0.0625f;
  h[i] = __float2half(fmaxf(sum, 0.0f));
}

extern "C" __global__ void second_layer(const __half* h, const __half* w2, __half* y, int batch,
                                        int hidden, int out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * out) return;
  int row = i / out;
  int column = i % out;
  float sum = 0.0f;
  for (int j = 0; j < hidden; ++j) {
    sum += __half2float(h[row * hidden + j]) * __half2float(w2[j * out + column]);
  }
  y[i] = __float2half(sum * 0.0625f);
}
