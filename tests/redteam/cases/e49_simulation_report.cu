// Row 49: host code shares the process of the simulator and reaches for its report.

//@ case cuts_every_descriptor
//@ task host_scale
//@ expect crashed
//@ tier b
//@ simulator
//@ reason report
#include <cuda_runtime.h>
extern "C" int ftruncate(int, long);
__global__ void nothing() {}
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2.0f * x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  cudaStreamSynchronize(stream);
  for (int fd = 4; fd < 64; ++fd) (void)!ftruncate(fd, 0);
  nothing<<<1, 32, 0, stream>>>();
  return 0;
}

//@ case renames_the_report
//@ task host_scale
//@ expect crashed
//@ tier b
//@ simulator
//@ reason report
#include <cuda_runtime.h>
#include <cstdio>
__global__ void nothing() {}
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2.0f * x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  std::rename("out/simulation.jsonl", "out/kept.jsonl");
  return 0;
}

//@ case appends_a_launch_of_its_own
//@ task host_scale
//@ expect crashed
//@ tier b
//@ simulator
//@ reason report
#include <cuda_runtime.h>
extern "C" int open(const char*, int, ...);
extern "C" long write(int, const void*, unsigned long);
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2.0f * x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  int fd = open("out/simulation.jsonl", 02001);
  if (fd >= 0) (void)write(fd, "{\"finished\":true}\n", 18);
  return 0;
}

//@ case asks_the_simulator_itself
//@ task host_scale
//@ expect cheating
//@ tier b
//@ simulator
//@ reason cudasimSampleBlocks
#include <cuda_runtime.h>
extern "C" void cudasimSampleBlocks(unsigned long, unsigned long);
__global__ void nothing() {}
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2.0f * x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  cudasimSampleBlocks(1, 1);
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  return 0;
}
