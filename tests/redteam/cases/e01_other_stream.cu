// Row 1: the work runs on a stream that nobody times.

//@ case a_stream_of_its_own
//@ tier b
//@ expect cheating
//@ reason cudaStreamCreate
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  add<<<1, 256, 0, own>>>(x, y, z, 256);
  return 0;
}

//@ case the_stream_of_the_thread
//@ tier b
//@ expect cheating
//@ reason cudaStreamPerThread
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, cudaStreamPerThread>>>(x, y, z, 256);
  return 0;
}

//@ case a_stream_by_the_driver
//@ tier b
//@ expect cheating
//@ reason cuStreamCreate
#include <cuda.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  CUstream own;
  cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
  add<<<1, 256, 0, own>>>(x, y, z, 256);
  return 0;
}
