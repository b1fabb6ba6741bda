// Row 7: another library is loaded in front of the right one.

//@ case opens_a_library
//@ tier b
//@ expect cheating
//@ reason dlopen
#include <dlfcn.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  dlopen("libother.so", 2);
  return 0;
}

//@ case looks_up_a_symbol
//@ tier b
//@ expect cheating
//@ reason cudaEventElapsedTime
#include <dlfcn.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  dlsym(nullptr, "cudaEventElapsedTime");
  return 0;
}

//@ case sets_the_loader_path
//@ tier b
//@ expect cheating
//@ reason setenv
#include <cstdlib>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  setenv("LD_PRELOAD", "libother.so", 1);
  return 0;
}
