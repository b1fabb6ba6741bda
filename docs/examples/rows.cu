// Mean of each row of a matrix, and the rows with their means taken off.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void row_mean(const float* x, float* mean, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[(size_t)row * columns + c];
  mean[row] = sum / columns;
}

__global__ void centre(const float* x, const float* mean, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y;
  if (row < rows) y[(size_t)row * columns + column] = x[(size_t)row * columns + column] - mean[row];
}

int main(int argc, char** argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 4096, columns = argc > 2 ? atoi(argv[2]) : 4096;
  std::vector<float> host((size_t)rows * columns);
  for (size_t i = 0; i < host.size(); ++i) host[i] = (i * 2654435761u % 1000) / 1000.0f;
  float *x, *mean, *y;
  size_t bytes = host.size() * sizeof(float);
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMalloc(&mean, rows * sizeof(float));
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);
  row_mean<<<(rows + 127) / 128, 128>>>(x, mean, rows, columns);
  centre<<<dim3((rows + 127) / 128, columns), 128>>>(x, mean, y, rows, columns);
  cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost);
  double largest = 0;
  for (float v : host) if (v > largest) largest = v;
  printf("largest %.4f\n", largest);
  return cudaGetLastError() != cudaSuccess;
}
