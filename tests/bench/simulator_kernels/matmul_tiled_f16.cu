// c = a b of n x n matrices through tiles of 16 x 16 in shared memory; n is a multiple of 16.
#include <cuda_fp16.h>

constexpr int kTile = 16;

extern "C" __global__ void matmul_tiled_f16(const __half* a, const __half* b, __half* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = __half2float(a[row * n + first + threadIdx.x]);
    tile_b[threadIdx.y][threadIdx.x] = __half2float(b[(first + threadIdx.y) * n + column]);
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = __float2half(sum);
}
