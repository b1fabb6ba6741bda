// Sums of ranges, each a first element and a count that stand side by side: in another order they
// lead out of the array.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void range_sums(const float* x, const int* ranges, float* sums, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int k = 0; k < ranges[2 * i + 1]; ++k) sum += x[ranges[2 * i] + k];
  sums[i] = sum;
}

int main() {
  const int n = 4096;
  const int count = 512;
  std::vector<float> x(n, 0.5f);
  std::vector<int> ranges(2 * count);
  std::vector<float> sums(count);
  for (int i = 0; i < count; ++i) {
    ranges[2 * i] = 8 * i;
    ranges[2 * i + 1] = 8;
  }
  float* numbers = nullptr;
  int* pairs = nullptr;
  float* out = nullptr;
  cudaMalloc(&numbers, n * sizeof(float));
  cudaMalloc(&pairs, ranges.size() * sizeof(int));
  cudaMalloc(&out, count * sizeof(float));
  cudaMemcpy(numbers, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(pairs, ranges.data(), ranges.size() * sizeof(int), cudaMemcpyHostToDevice);
  range_sums<<<(count + 127) / 128, 128>>>(numbers, pairs, out, count);
  cudaMemcpy(sums.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", sums[count - 1]);
  return 0;
}
