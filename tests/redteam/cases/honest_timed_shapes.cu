// Honest kernels whose timed shape is checked by a sample of its blocks, and honest host functions.

//@ case tiles_in_shared_memory
//@ task gemm_f32
//@ expect accepted
//@ timed
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[16][17], right[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0.0f;
  for (int from = 0; from < k; from += 16) {
    int over = from + threadIdx.x, down = from + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && over < k ? a[row * k + over] : 0.0f;
    right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

//@ case persistent_blocks
//@ task vector_add
//@ expect accepted
//@ launch vector_add | 132 | 256 | x, y, z, i32:n
//@ timed
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    z[i] = x[i] + y[i];
}

//@ case sums_in_two_launches
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows*4
//@ launch parts | ceil_div(rows, 128), 4 | 128 | x, part, i32:rows, i32:columns
//@ launch join | ceil_div(rows, 128) | 128 | part, sums, i32:rows
//@ timed
extern "C" __global__ void parts(const float* x, float* part, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = from; c < columns; c += 4) sum += x[row * columns + c];
  part[from * rows + row] = sum;
}
extern "C" __global__ void join(const float* part, float* sums, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = (part[row] + part[rows + row]) + (part[2 * rows + row] + part[3 * rows + row]);
}

//@ case atomics_on_the_timed_shape
//@ task histogram
//@ expect accepted
//@ timed
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}

//@ case the_host_chooses_a_block
//@ task host_scale
//@ expect accepted
//@ tier b
#include <cuda_runtime.h>
__global__ void scale(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = fmaf(2.0f, x[i], y[i]);
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  int block = n < 4096 ? 64 : 256;
  scale<<<(n + block - 1) / block, block, 0, stream>>>(x, y, z, n);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

//@ case the_host_splits_the_work
//@ task host_scale
//@ expect accepted
//@ tier b
#include <cuda_runtime.h>
__global__ void scale(const float* x, const float* y, float* z, int from, int to) {
  int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) z[i] = x[i] + x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
  int half = n / 2;
  if (half > 0) scale<<<(half + 127) / 128, 128, 0, stream>>>(x, y, z, 0, half);
  scale<<<(n - half + 127) / 128, 128, 0, stream>>>(x, y, z, half, n);
  return 0;
}
