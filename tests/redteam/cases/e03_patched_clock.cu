// Row 3: the functions that tell the time are replaced.

//@ case an_own_elapsed_time
//@ tier b
//@ expect cheating
//@ reason cudaEventElapsedTime
extern "C" cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.001f;
  return cudaSuccess;
}
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case an_own_synchronize
//@ tier b
//@ expect cheating
//@ reason cudaDeviceSynchronize
extern "C" cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case an_own_clock
//@ tier b
//@ expect cheating
//@ reason clock_gettime
#include <time.h>
extern "C" int clock_gettime(clockid_t, timespec* now) {
  now->tv_sec = 0;
  return 0;
}
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
