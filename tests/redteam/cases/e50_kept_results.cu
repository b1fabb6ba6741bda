// Row 50: what an earlier run has computed is kept.

//@ case the_host_calls_once
//@ task host_scale
//@ expect wrong
//@ tier b
#include <cuda_runtime.h>
__global__ void nothing() {}
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2.0f * x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  static int calls = 0;
  if (calls++ % 2 == 1) return 0;
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
  return 0;
}

//@ case a_flag_for_each_block
//@ task vector_add
//@ expect wrong
__device__ int done[1 << 16];
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int before;
  if (threadIdx.x == 0) before = done[blockIdx.x]++;
  __syncthreads();
  if (i < n && before % 2 == 0) z[i] = x[i] + y[i];
}

//@ case knows_the_output_by_its_address
//@ task vector_add
//@ expect wrong
__device__ float* seen[1 << 16];

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ bool known;
  if (threadIdx.x == 0) {
    known = seen[blockIdx.x] == z;
    seen[blockIdx.x] = z;
  }
  __syncthreads();
  if (i < n && !known) z[i] = x[i] + y[i];
}
