#include <cuda_runtime.h>

__global__ void doubled(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

int main() {
  int* x = nullptr;
  cudaMalloc(&x, 33 * sizeof(int));
  cudaMemset(x, 0, 33 * sizeof(int));
  doubled<<<1, 64>>>(x, 33);
  int first = 1;
  cudaMemcpy(&first, x, sizeof(int), cudaMemcpyDeviceToHost);
  return first;
}
