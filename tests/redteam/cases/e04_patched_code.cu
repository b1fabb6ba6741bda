// Row 4: code of the process is changed.

//@ case makes_code_writable
//@ tier b
//@ expect cheating
//@ reason mprotect
#include <sys/mman.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  mprotect(reinterpret_cast<void*>(reinterpret_cast<unsigned long>(&run) & ~4095ul), 4096, 7);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case writes_to_its_own_memory_file
//@ tier b
//@ expect cheating
//@ reason freopen
#include <cstdio>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  FILE* memory = std::freopen("/proc/self/mem", "r+", stdin);
  (void)memory;
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case runs_before_main
//@ tier b
//@ expect cheating
//@ reason constructor
__attribute__((constructor)) static void before() {}
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
