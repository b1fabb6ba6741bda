// A user's program: two launches that pass data on through a temporary, and one over rows. All
// values are small integers, so that every order of a sum gives the same bytes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t status = (call);                                    \
    if (status != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

namespace {

constexpr int kThreads = 128;

__device__ float clipped(float value) { return value > 0.0f ? value : 0.0f; }

__global__ void scale(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

}  // namespace

__global__ void shift(const float* x, float* y, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = clipped(x[i] + by);
}

// One thread a row.
__global__ void sum_rows(const float* x, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];
  sums[row] = sum;
}

static void scale_and_shift(const float* x, float* y, int n, cudaStream_t stream) {
  float* scaled = nullptr;
  CHECK(cudaMallocAsync(&scaled, n * sizeof(float), stream));
  scale<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(x, scaled, 2.0f, n);
  CHECK(cudaGetLastError());
  shift<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(scaled, y, -3.0f, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFreeAsync(scaled, stream));
}

static void report(int rows, int columns) {
  const int n = rows * columns;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i % 7 - 1);
  std::vector<float> sums(rows);
  float* x = nullptr;
  float* y = nullptr;
  float* out = nullptr;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&out, rows * sizeof(float)));
  CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale_and_shift(x, y, n, stream);
  sum_rows<<<dim3((rows + 63) / 64), 64, 0, stream>>>(y, out, rows, columns);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(sums.data(), out, rows * sizeof(float), cudaMemcpyDeviceToHost));
  double total = 0;
  for (int i = 0; i < rows; ++i) total += sums[i] * (i + 1);
  std::printf("%d x %d: first %.9g, last %.9g, weighted %.17g\n", rows, columns, sums[0],
              sums[rows - 1], total);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(out));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  report(67, 133);
  report(5, 31);  // another size
  report(67, 133);
  return 0;
}
