// Row 35: the machine is the target.

//@ case forks_for_ever
//@ tier b
//@ expect cheating
//@ reason fork
#include <unistd.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  while (true) fork();
  return 0;
}

//@ case calls_home
//@ tier b
//@ expect cheating
//@ reason socket
#include <sys/socket.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  return socket(2, 1, 0);
}

//@ case traces_its_siblings
//@ tier b
//@ expect cheating
//@ reason ptrace
#include <sys/ptrace.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  return static_cast<int>(ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
}

//@ case kills_the_others
//@ tier b
//@ expect cheating
//@ reason kill
#include <csignal>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  return kill(-1, 9);
}

//@ case calls_the_kernel_directly
//@ tier b
//@ expect cheating
//@ reason syscall
#include <unistd.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  return static_cast<int>(syscall(57));
}

//@ case fills_the_disk
//@ tier b
//@ expect cheating
//@ reason ofstream
#include <fstream>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  std::ofstream file("out/fill");
  for (;;) file << 'x';
  return 0;
}
