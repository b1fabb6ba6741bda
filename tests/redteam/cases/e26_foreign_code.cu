// Row 26: a library or the reference does the work.

//@ case calls_cublas
//@ tier b
//@ expect cheating
//@ reason cublas
#include <cublas_v2.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  return 0;
}

//@ case calls_the_reference
//@ tier b
//@ expect cheating
//@ reason warpmind_reference
#include "warpmind_reference.h"
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) { return 0; }

//@ case calls_torch
//@ tier b
//@ expect cheating
//@ reason torch
#include <torch/torch.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) { return 0; }
