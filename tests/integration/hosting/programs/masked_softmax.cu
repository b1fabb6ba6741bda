// Softmax of the first len[r] elements of each row, the rest 0.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

__global__ void masked_softmax(const float* x, const int* len, float* y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int n = len[r];
  float m = -1e30f;
  for (int c = 0; c < n; ++c) m = fmaxf(m, x[r * columns + c]);
  float sum = 0.0f;
  for (int c = 0; c < n; ++c) sum += expf(x[r * columns + c] - m);
  for (int c = 0; c < columns; ++c)
    y[r * columns + c] = c < n ? expf(x[r * columns + c] - m) / sum : 0.0f;
}

int main() {
  const int rows = 512, columns = 512;
  std::vector<float> x(rows * columns), y(rows * columns);
  std::vector<int> len(rows);
  unsigned s = 1;
  for (auto& v : x) {
    s = s * 1664525u + 1013904223u;
    v = (s >> 8) / 16777216.0f * 4 - 2;
  }
  for (int r = 0; r < rows; ++r) {
    s = s * 1664525u + 1013904223u;
    len[r] = 1 + (s >> 8) % columns;
  }
  float *dx, *dy;
  int* dl;
  cudaMalloc(&dx, x.size() * 4);
  cudaMalloc(&dy, x.size() * 4);
  cudaMalloc(&dl, rows * 4);
  cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dl, len.data(), rows * 4, cudaMemcpyHostToDevice);
  masked_softmax<<<(rows + 127) / 128, 128>>>(dx, dl, dy, rows, columns);
  cudaMemcpy(y.data(), dy, x.size() * 4, cudaMemcpyDeviceToHost);
  double total = 0;
  for (float v : y) total += v;
  std::printf("sum %.3f\n", total);
  return cudaGetLastError() != cudaSuccess;
}
