#include <cstdio>
#include <vector>

#include <cuda_runtime.h>
__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2;
}
int main() {
  const int n = 1000;
  std::vector<float> a(n, 3), b(n);
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, a.data(), n * 4, cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(x, y, n);
  cudaMemcpy(b.data(), y, n * 4, cudaMemcpyDeviceToHost);
  for (float v : b)
    if (v != 6) {
      puts("FAIL");
      return 1;
    }
  puts("PASS");
}
