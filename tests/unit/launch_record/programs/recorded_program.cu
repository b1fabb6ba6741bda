// A user's program: a scaled sum of rows through a temporary, on a stream of its own. It knows
// nothing of recorders.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

namespace {

__global__ void scale(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

}  // namespace

// One thread a row.
__global__ void sum_rows(const float* x, float* sums, int rows, long long columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];
  sums[row] += sum;
}

int main() {
  const int rows = 6;
  const int columns = 50;
  std::vector<float> host(rows * columns, 1.0f);
  std::vector<float> sums(rows, 0.0f);
  float* x = nullptr;
  float* scaled = nullptr;
  float* out = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMallocAsync(&scaled, host.size() * sizeof(float), stream);
  cudaMalloc(&out, sums.size() * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemsetAsync(out, 0, sums.size() * sizeof(float), stream);
  scale<<<(rows * columns + 127) / 128, 128, 0, stream>>>(x, scaled, 0.5f, rows * columns);
  if (cudaGetLastError() != cudaSuccess) return 2;
  sum_rows<<<1, dim3(8, 1, 1), 256, stream>>>(scaled, out, rows, columns);
  cudaFreeAsync(scaled, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(out);
  std::printf("%g %s\n", sums[5], cudaGetErrorString(cudaDeviceSynchronize()));
  return sums[5] == 25.0f ? 0 : 1;
}
