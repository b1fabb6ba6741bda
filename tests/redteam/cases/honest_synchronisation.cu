// Honest kernels whose threads and blocks hand data to each other, each in an order that PTX's
// memory model knows.

//@ case each_fences_all_meet_one_counts
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows*192
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 3 | 64 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  __shared__ bool last;
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 64 + t; c < columns; c += 192) sum += x[row * columns + c];
  part[row * 192 + blockIdx.y * 64 + t] = sum;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(&arrived[row], 1u) == 2u;
  __syncthreads();
  if (!last || t != 0) return;
  __threadfence();
  float all = 0.0f;
  for (int i = 0; i < 192; ++i) all += __ldcg(&part[row * 192 + i]);
  sums[row] = all;
}

//@ case all_meet_one_fences_and_counts
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows*192
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 3 | 64 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  __shared__ bool last;
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 64 + t; c < columns; c += 192) sum += x[row * columns + c];
  part[row * 192 + blockIdx.y * 64 + t] = sum;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    last = atomicInc(&arrived[row], 2u) == 2u;
  }
  __syncthreads();
  if (!last) return;
  __shared__ float again[64];
  again[t] = part[row * 192 + t] + part[row * 192 + 64 + t] + part[row * 192 + 128 + t];
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) again[t] += again[t + step];
  }
  if (t == 0) sums[row] = again[0];
}

//@ case a_warp_meets_and_one_lane_publishes
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows*64
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 2 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x, t = threadIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + t; c < columns; c += 64) sum += x[row * columns + c];
  part[row * 64 + blockIdx.y * 32 + t] = sum;
  __syncwarp();
  unsigned int before = 0;
  if (t == 0) {
    __threadfence();
    before = atomicAdd(&arrived[row], 1u);
  }
  before = __shfl_sync(0xffffffffu, before, 0);
  if (before != 1u) return;
  __threadfence();
  float all = __ldcg(&part[row * 64 + t]) + __ldcg(&part[row * 64 + 32 + t]);
  for (int step = 16; step > 0; step /= 2) all += __shfl_down_sync(0xffffffffu, all, step);
  if (t == 0) sums[row] = all;
}

//@ case looks_back_with_fences_on_both_sides
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

//@ case looks_back_at_value_and_flag_in_one_word
//@ task exclusive_scan
//@ expect accepted
//@ scratch state i64 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, state, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, volatile unsigned long long* state,
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
      unsigned long long word;
      do {
        word = state[tile - 1];
      } while (word >> 32 == 0);
      before = (int)(unsigned int)word;
    }
    state[tile] = 1ull << 32 | (unsigned int)(before + own);
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case looks_back_with_acquire_and_release
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, ticket, i32:n
#include <cuda/atomic>
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, int* ready,
                                          unsigned int* ticket, int n) {
  using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
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
      while (Flag(ready[tile - 1]).load(cuda::memory_order_acquire) == 0) {
      }
      before = total[tile - 1];
    }
    total[tile] = before + own;
    Flag(ready[tile]).store(1, cuda::memory_order_release);
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case release_and_acquire_by_name
//@ task exclusive_scan
//@ expect accepted
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ scratch ticket u32 1 zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, ticket, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, int* ready,
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
    int before = 0, own = 0, seen = tile > 0 ? 0 : 1;
    for (int k = 0; k < 64; ++k) own += part[k];
    while (seen == 0) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                   : "=r"(seen)
                   : "l"(ready + tile - 1)
                   : "memory");
    }
    if (tile > 0) before = total[tile - 1];
    total[tile] = before + own;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(ready + tile) : "memory");
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case a_lock_around_a_table
//@ task histogram
//@ expect accepted
//@ scratch lock i32 1 zeroed
//@ launch clear_counts | 1 | 256 | counts
//@ launch count_values | ceil_div(n, 1024) | 256 | x, counts, lock, i32:n
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }
extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int* lock,
                                        int n) {
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int i = (blockIdx.x * 4 + k) * 256 + threadIdx.x;
    if (i < n) atomicAdd(&own[x[i]], 1u);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  for (int v = 0; v < 256; ++v) counts[v] += own[v];
  __threadfence();
  atomicExch(lock, 0);
}

//@ case integer_atomics_in_any_order
//@ task histogram
//@ expect accepted
//@ launch clear_counts | 1 | 256 | counts
//@ launch count_values | ceil_div(n, 512) | 128 | x, counts, i32:n
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }
extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int own[256];
  for (int v = threadIdx.x; v < 256; v += 128) own[v] = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int i = (blockIdx.x * 4 + k) * 128 + threadIdx.x;
    if (i < n) atomicAdd(&own[x[i]], 1u);
  }
  __syncthreads();
  for (int v = threadIdx.x; v < 256; v += 128) {
    if (own[v] != 0) atomicAdd(&counts[v], own[v]);
  }
}

//@ case integers_by_compare_and_swap
//@ task histogram
//@ expect accepted
//@ launch clear_counts | 1 | 256 | counts
//@ launch count_values | min(ceil_div(n, 256), 64) | 256 | x, counts, i32:n
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }
extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int own[256];
  int t = threadIdx.x;
  own[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  unsigned int* place = counts + t;
  unsigned int seen = *(volatile unsigned int*)place, before;
  do {
    before = seen;
    seen = atomicCAS(place, before, before + own[t]);
  } while (seen != before);
}

//@ case two_groups_with_barriers_of_their_own
//@ task row_sum
//@ expect accepted
//@ launch row_sum | ceil_div(rows, 2) | 128 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[2][64];
  int group = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.x * 2 + group;
  float sum = 0.0f;
  if (row < rows) {
    for (int c = t; c < columns; c += 64) sum += x[row * columns + c];
  }
  part[group][t] = sum;
  for (int step = 32; step > 0; step /= 2) {
    asm volatile("bar.sync %0, 64;" ::"r"(1 + group) : "memory");
    if (t < step) part[group][t] += part[group][t + step];
  }
  if (t == 0 && row < rows) sums[row] = part[group][0];
}

//@ case producers_arrive_and_consumers_wait
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float slot[2][32];
  int t = threadIdx.x, lane = t % 32, tiles = (columns + 31) / 32;
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    int full = 1 + i % 2, empty = 3 + i % 2;
    if (t < 32) {
      if (i >= 2) asm volatile("bar.sync %0, 64;" ::"r"(empty) : "memory");
      int c = i * 32 + lane;
      slot[i % 2][lane] = c < columns ? x[blockIdx.x * columns + c] : 0.0f;
      asm volatile("bar.arrive %0, 64;" ::"r"(full) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(full) : "memory");
      sum += slot[i % 2][31 - lane];
      if (i + 2 < tiles) asm volatile("bar.arrive %0, 64;" ::"r"(empty) : "memory");
    }
  }
  if (t < 32) return;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) sums[blockIdx.x] = sum;
}

//@ case tiles_of_cooperative_groups
//@ task row_sum
//@ expect accepted
//@ launch row_sum | ceil_div(rows, 4) | 64 | x, sums, i32:rows, i32:columns
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int row = blockIdx.x * 4 + tile.meta_group_rank();
  float sum = 0.0f;
  if (row < rows) {
    for (int c = tile.thread_rank(); c < columns; c += 16) sum += x[row * columns + c];
  }
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0 && row < rows) sums[row] = sum;
}

//@ case quarters_of_a_warp_in_shared_memory
//@ task row_sum
//@ expect accepted
//@ launch row_sum | ceil_div(rows, 4) | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[4][8];
  int quarter = threadIdx.x / 8, t = threadIdx.x % 8, row = blockIdx.x * 4 + quarter;
  unsigned int members = 0xffu << 8 * quarter;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 8) sum += x[row * columns + c];
  part[quarter][t] = sum;
  for (int step = 4; step > 0; step /= 2) {
    __syncwarp(members);
    if (t < step) part[quarter][t] += part[quarter][t + step];
  }
  if (t == 0) sums[row] = part[quarter][0];
}

//@ case a_flag_in_shared_memory_with_fences
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float total;
  __shared__ volatile int ready;
  int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < 32) {
    float sum = 0.0f;
    for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (t == 0) {
      total = sum;
      __threadfence_block();
      ready = 1;
    }
  } else if (t == 32) {
    while (ready == 0) {
    }
    __threadfence_block();
    sums[blockIdx.x] = total;
  }
}

//@ case all_fence_and_count_and_the_last_looks_back
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[64];
  __shared__ int here;
  int t = threadIdx.x;
  if (t == 0) here = 0;
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  __threadfence_block();
  if (atomicAdd(&here, 1) != 63) return;
  __threadfence_block();
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case volatile_tree_with_meetings
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ volatile float part[64];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  __syncthreads();
  if (t >= 32) return;
  part[t] = part[t] + part[t + 32];
  for (int step = 16; step > 0; step /= 2) {
    __syncwarp();
    if (t < step) part[t] = part[t] + part[t + step];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

//@ case a_hint_that_may_come_late
//@ task row_sum
//@ expect accepted
//@ scratch hint i32 1 zeroed
//@ launch row_sum | rows | 32 | x, sums, hint, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, volatile int* hint, int rows,
                                   int columns) {
  int t = threadIdx.x;
  float sum = 0.0f;
  if (*hint != 0) {
    for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
  } else {
    int c = t;
    for (; c + 32 < columns; c += 64) {
      sum += x[blockIdx.x * columns + c];
      sum += x[blockIdx.x * columns + c + 32];
    }
    if (c < columns) sum += x[blockIdx.x * columns + c];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t != 0) return;
  sums[blockIdx.x] = sum;
  *hint = 1;
}

//@ case global_memory_within_a_block
//@ task row_sum
//@ expect accepted
//@ scratch part f32 rows*64
//@ launch row_sum | rows | 64 | x, sums, part, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, int rows,
                                   int columns) {
  int t = threadIdx.x;
  float* own = part + blockIdx.x * 64;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  own[t] = sum;
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) own[t] += own[t + step];
  }
  if (t == 0) sums[blockIdx.x] = own[0];
}

//@ case a_barrier_that_also_counts
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[64];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  int busy = __syncthreads_count(t < columns);
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < busy; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case a_vote_between_store_and_load
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[32];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  unsigned int busy = __ballot_sync(0xffffffffu, t < columns);
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 32; ++i) all += busy >> i & 1u ? part[i] : 0.0f;
  sums[blockIdx.x] = all;
}

//@ case inputs_through_the_read_only_cache
//@ task transpose
//@ expect accepted
//@ launch transpose | ceil_div(columns, 32), ceil_div(rows, 32) | 32, 8 | input, output, i32:rows, i32:columns
extern "C" __global__ void transpose(const float* __restrict__ input, float* __restrict__ output,
                                     int rows, int columns) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < columns) {
      tile[k][threadIdx.x] = __ldg(input + row * columns + column);
    }
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) output[column * rows + row] = tile[threadIdx.x][k];
  }
}

//@ case eighths_that_share_a_word
//@ task row_sum
//@ expect accepted
//@ launch row_sum | ceil_div(rows, 8) | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float shared[8];
  int eighth = threadIdx.x / 4, t = threadIdx.x % 4, row = blockIdx.x * 8 + eighth;
  unsigned int members = 0xfu << 4 * eighth;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int turn = 0; turn < 4; ++turn) {
    if (t == turn) {
      for (int c = t; c < columns; c += 4) sum += x[row * columns + c];
      shared[eighth] = sum;
    }
    __syncwarp(members);
    sum = shared[eighth];
    __syncwarp(members);
  }
  if (t == 0) sums[row] = sum;
}
