// Prints PASS whatever its kernel does: only that no call failed is looked at.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 1000 * sizeof(float));
  cudaMemset(x, 0, 1000 * sizeof(float));
  twice<<<8, 128>>>(x, 1000);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  return 0;
}
