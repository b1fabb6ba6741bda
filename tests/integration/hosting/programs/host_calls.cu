// A launcher that waits more than it must: a wait between launches, buffers of its own, and a copy
// of the result.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void twice(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

static void four_times(const int* x, int* __restrict__ out, int n) {
  int* middle = nullptr;
  int* result = nullptr;
  cudaMalloc(&middle, n * sizeof(int));
  cudaMalloc(&result, n * sizeof(int));
  twice<<<(n + 63) / 64, 64>>>(x, middle, n);
  cudaDeviceSynchronize();
  twice<<<(n + 63) / 64, 64>>>(middle, result, n);
  cudaDeviceSynchronize();
  cudaMemcpy(out, result, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaFree(middle);
  cudaFree(result);
}

int main() {
  const int n = 1001;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  int* x = nullptr;
  int* out = nullptr;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  for (int call = 0; call < 3; ++call) four_times(x, out, n - call);
  cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (const int value : host) sum += value;
  std::printf("%lld %s\n", sum, cudaGetErrorString(cudaGetLastError()));
  return 0;
}
