// Row 29: a part of the L2 cache is kept for the next run.

//@ case a_carve_out
//@ tier b
//@ expect cheating
//@ reason cudaDeviceSetLimit
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 25);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case a_window_of_the_stream
//@ tier b
//@ expect cheating
//@ reason cudaStreamSetAttribute
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaStreamAttrValue value = {};
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case a_window_by_the_driver
//@ tier b
//@ expect cheating
//@ reason cuCtxSetLimit
#include <cuda.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 25);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
