// Honest kernels whose blocks wait for each other as CUDA allows: in a cooperative launch, or for
// blocks that have certainly started; and kernels that only look as if they waited.

//@ case cooperative_grid_sync
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | min(rows, 512) | 32 | x, sums, part, arrived, i32:rows, i32:columns
//@ cooperative
#include <cooperative_groups.h>
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  auto grid = cooperative_groups::this_grid();
  int t = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (t == 0) part[row] = sum;
  }
  grid.sync();
  if (blockIdx.x != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = part[r];
}

//@ case cooperative_barrier_of_its_own
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | min(rows, 512) | 32 | x, sums, part, arrived, i32:rows, i32:columns
//@ cooperative
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int t = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
    for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (t == 0) part[row] = sum;
  }
  if (t == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < gridDim.x) {
    }
    __threadfence();
  }
  __syncwarp();
  if (blockIdx.x != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case cooperative_scan_by_index
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | min(ceil_div(n,64), 2048) | 64 | x, y, total, ready, ticket, i32:n
//@ cooperative
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          unsigned int*, int n) {
  int t = threadIdx.x;
  for (int tile = blockIdx.x; tile * 64 < n; tile += gridDim.x) {
    if (t == 0) {
      int before = 0, own = 0;
      if (tile > 0) {
        while (ready[tile - 1] == 0) {
        }
        __threadfence();
        before = total[tile - 1];
      }
      for (int i = tile * 64; i < min(n, tile * 64 + 64); ++i) {
        y[i] = before + own;
        own += x[i];
      }
      total[tile] = before + own;
      __threadfence();
      ready[tile] = 1;
    }
    __syncthreads();
  }
}

//@ case ticket_in_a_padded_grid
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) + 2048 | 64 | x, y, total, ready, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          unsigned int* ticket, int n) {
  __shared__ int base, tile;
  __shared__ int part[64];
  int t = threadIdx.x;
  if (blockIdx.x * 64 >= n) return;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int i = tile * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (tile > 0) {
      while (ready[tile - 1] == 0) {
      }
      __threadfence();
      before = total[tile - 1];
    }
    total[tile] = before + own;
    __threadfence();
    ready[tile] = 1;
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case ticket_with_pauses
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          unsigned int* ticket, int n) {
  __shared__ int base, tile;
  __shared__ int part[64];
  int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int i = tile * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (tile > 0) {
      while (ready[tile - 1] == 0) {
        __nanosleep(64);
      }
      __threadfence();
      before = total[tile - 1];
    }
    total[tile] = before + own;
    __threadfence();
    ready[tile] = 1;
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case gives_up_waiting_and_computes_it
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          unsigned int* ticket, int n) {
  __shared__ int base, tile;
  __shared__ int part[64];
  int t = threadIdx.x;
  if (t == 0) tile = blockIdx.x;
  __syncthreads();
  int i = tile * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (tile > 0) {
      int turns = 0;
      while (ready[tile - 1] == 0 && turns < 1000) ++turns;
      if (turns < 1000) {
        __threadfence();
        before = total[tile - 1];
      } else {
        for (int k = 0; k < tile * 64; ++k) before += x[k];
      }
    }
    total[tile] = before + own;
    __threadfence();
    ready[tile] = 1;
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case last_block_adds_up
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  __shared__ bool last;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case takes_a_lock
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t != 0) return;
  while (atomicCAS(arrived, 0u, 1u) != 0u) {
  }
  __threadfence();
  sums[row] = sum;
  __threadfence();
  atomicExch(arrived, 0u);
}

//@ case reads_one_value_many_times
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t != 0) return;
  unsigned int zeros = 0;
  for (int i = 0; i < 40000; ++i) zeros += *(volatile unsigned int*)arrived;
  sums[row] = sum + (float)zeros;
}
