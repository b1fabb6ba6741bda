// Row 2: a thread of the host goes on after the function has returned.

//@ case a_detached_thread
//@ tier b
//@ expect cheating
//@ reason std::thread
#include <thread>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  std::thread([=] { add<<<1, 256>>>(x, y, z, 256); }).detach();
  return 0;
}

//@ case a_thread_by_pthread
//@ tier b
//@ expect cheating
//@ reason pthread_create
#include <pthread.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  pthread_t thread;
  pthread_create(
      &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case a_host_function_of_the_stream
//@ tier b
//@ expect cheating
//@ reason cudaLaunchHostFunc
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
