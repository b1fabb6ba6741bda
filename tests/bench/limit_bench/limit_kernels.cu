// Kernels whose limits are known. Compiled to a fat binary when limit_bench runs.
#include <cuda_runtime.h>

extern "C" __global__ void launch_only() {}

// One block sums 16 KiB, four loads of 16 bytes a thread; for small arrays one load a thread.
template <int kLoads>
__device__ void sum_block(const float4* x, float* partial) {
  float4 part[kLoads];
  const size_t first = size_t(blockIdx.x) * blockDim.x * kLoads + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) part[i] = __ldcs(x + first + i * blockDim.x);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) sum += (part[i].x + part[i].y) + (part[i].z + part[i].w);
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, lane);
  if (threadIdx.x % 32 == 0) partial[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = sum;
}
extern "C" __global__ void sum_1(const float4* x, float* partial) { sum_block<1>(x, partial); }
extern "C" __global__ void sum_4(const float4* x, float* partial) { sum_block<4>(x, partial); }

extern "C" __global__ void copy(const float4* x, float4* y) {
  const size_t first = size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
  float4 part[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) part[i] = __ldcs(x + first + i * blockDim.x);
#pragma unroll
  for (int i = 0; i < 4; ++i) __stcs(y + first + i * blockDim.x, part[i]);
}

extern "C" __global__ void triad(const float4* a, const float4* b, float4* c) {
  const size_t first = size_t(blockIdx.x) * blockDim.x * 2 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const size_t at = first + i * blockDim.x;
    const float4 p = __ldcs(a + at);
    const float4 q = __ldcs(b + at);
    __stcs(c + at, make_float4(p.x + 3 * q.x, p.y + 3 * q.y, p.z + 3 * q.z, p.w + 3 * q.w));
  }
}

extern "C" __global__ void fill(float4* y) {
  const size_t first = size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) __stcs(y + first + i * blockDim.x, make_float4(1, 2, 3, 4));
}

// Tiles of 32 by 32, 32 by 8 threads.
extern "C" __global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = x[size_t(row + i) * n + column];
  __syncthreads();
  const int out_column = blockIdx.y * 32 + threadIdx.x;
  const int out_row = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    y[size_t(out_row + i) * n + out_column] = tile[threadIdx.x][threadIdx.y + i];
  }
}

// Reads the whole array `passes` times. __ldcg: out of L2, never out of L1.
extern "C" __global__ void read_l2(const float4* x, float* partial, unsigned elements, int passes) {
  const unsigned stride = gridDim.x * blockDim.x;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += stride) {
      const float4 part = __ldcg(x + i);
      sum += (part.x + part.y) + (part.z + part.w);
    }
  }
  partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Eight independent chains a thread.
template <class T>
__device__ void multiply_add(T* out, int rounds) {
  T sum[8];
  const T factor = T(1) + T(threadIdx.x) * T(1e-6);
#pragma unroll
  for (int i = 0; i < 8; ++i) sum[i] = T(i);
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] = sum[i] * factor + T(0.5);
  }
  T all = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) all += sum[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
extern "C" __global__ void fma_f32(float* out, int rounds) { multiply_add(out, rounds); }
extern "C" __global__ void fma_f64(double* out, int rounds) { multiply_add(out, rounds); }
