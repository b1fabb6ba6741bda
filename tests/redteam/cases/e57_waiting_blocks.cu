// Row 57: blocks that wait for others which may never start, in launches that are not cooperative.

//@ case barrier_by_a_counter
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < gridDim.x) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case barrier_in_a_padded_grid
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows + 4096 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < (unsigned int)rows) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case barrier_whose_last_block_raises_a_flag
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
      *(volatile unsigned int*)(arrived + 1) = 1u;
    }
    while (*(volatile unsigned int*)(arrived + 1) == 0u) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case polls_with_an_atomic_and_sleeps
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    for (unsigned int pause = 8; atomicAdd(arrived, 0u) < gridDim.x; pause = min(2 * pause, 1024)) {
      __nanosleep(pause);
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case counts_its_turns
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    for (unsigned int turns = 0; *(volatile unsigned int*)arrived < gridDim.x; ++turns) {
      if (turns == 4000000000u) __trap();
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case all_warps_poll_behind_a_barrier
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 64 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  if (t < 32) {
    for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  }
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
  }
  while (!__syncthreads_or(t == 0 && *(volatile unsigned int*)arrived == gridDim.x)) {
  }
  __threadfence();
  __syncthreads();
  if (row != 0) return;
  for (int r = t; r < rows; r += 64) sums[r] = __ldcg(&part[r]);
}

//@ case waits_for_the_block_before_by_its_index
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason block waits for another block
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

//@ case waits_for_the_block_behind_by_its_index
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          unsigned int* ticket, int n) {
  __shared__ int base, tile;
  __shared__ int part[64];
  int t = threadIdx.x;
  if (t == 0) tile = gridDim.x - 1 - blockIdx.x;
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

//@ case waits_for_a_later_ticket
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason block waits for another block
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    unsigned int ticket = atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < min(ticket + 2, gridDim.x)) {
    }
    atomicAdd(arrived + 1, 1u);
    while (row == 0 && *(volatile unsigned int*)(arrived + 1) < gridDim.x) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case synchronises_its_grid_undeclared
//@ task row_sum
//@ expect build_failed
//@ reason cooperative = true
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
#include <cooperative_groups.h>
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  auto grid = cooperative_groups::this_grid();
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) part[row] = sum;
  grid.sync();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = part[r];
}

//@ case does_not_fit_on_the_device
//@ task row_sum
//@ expect crashed
//@ reason blocks, and this device holds
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | 1048576 | 32 | x, sums, part, arrived, i32:rows, i32:columns
//@ cooperative
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < (unsigned int)rows) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}

//@ case waits_for_more_blocks_than_there_are
//@ task row_sum
//@ expect timed_out
//@ reason every block of the cooperative launch waits
//@ scratch part f32 rows
//@ scratch arrived u32 4 zeroed
//@ launch row_sum | rows | 32 | x, sums, part, arrived, i32:rows, i32:columns
//@ cooperative
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) {
    part[row] = sum;
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < gridDim.x + 1) {
    }
    __threadfence();
  }
  __syncwarp();
  if (row != 0) return;
  for (int r = t; r < rows; r += 32) sums[r] = __ldcg(&part[r]);
}
