// Row 40: results handed from block to block without what would order them.

//@ case counts_without_a_fence
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*3
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 3 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 96) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x != 0) return;
  part[row * 3 + blockIdx.y] = sum;
  if (atomicInc(&arrived[row], 2u) != 2u) return;
  sums[row] = __ldcg(&part[row * 3]) + __ldcg(&part[row * 3 + 1]) + __ldcg(&part[row * 3 + 2]);
}

//@ case fences_behind_the_count
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*3
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 3 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 96) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x != 0) return;
  part[row * 3 + blockIdx.y] = sum;
  bool last = atomicAdd(&arrived[row], 1u) == 2u;
  __threadfence();
  if (!last) return;
  sums[row] = __ldcg(&part[row * 3]) + __ldcg(&part[row * 3 + 1]) + __ldcg(&part[row * 3 + 2]);
}

//@ case fences_in_front_of_the_store
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*3
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 3 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 96) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x != 0) return;
  __threadfence();
  part[row * 3 + blockIdx.y] = sum;
  if (atomicAdd(&arrived[row], 1u) != 2u) return;
  __threadfence();
  sums[row] = __ldcg(&part[row * 3]) + __ldcg(&part[row * 3 + 1]) + __ldcg(&part[row * 3 + 2]);
}

//@ case one_lane_fences_for_its_warp
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*64
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 2 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 64) sum += x[row * columns + c];
  part[row * 64 + blockIdx.y * 32 + threadIdx.x] = sum;
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&arrived[row], 1u) != 1u) return;
  __threadfence();
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += __ldcg(&part[row * 64 + i]);
  sums[row] = all;
}

//@ case a_barrier_but_no_fence
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*256
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 2 | 128 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 128 + threadIdx.x; c < columns; c += 256) sum += x[row * columns + c];
  part[row * 256 + blockIdx.y * 128 + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&arrived[row], 1u) != 1u) return;
  __threadfence();
  float all = 0.0f;
  for (int i = 0; i < 256; ++i) all += __ldcg(&part[row * 256 + i]);
  sums[row] = all;
}

//@ case a_fence_for_the_block_alone
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch part f32 rows*256
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 2 | 128 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 128 + threadIdx.x; c < columns; c += 256) sum += x[row * columns + c];
  part[row * 256 + blockIdx.y * 128 + threadIdx.x] = sum;
  __threadfence_block();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&arrived[row], 1u) != 1u) return;
  __threadfence();
  float all = 0.0f;
  for (int i = 0; i < 256; ++i) all += __ldcg(&part[row * 256 + i]);
  sums[row] = all;
}

//@ case relaxed_value_and_relaxed_flag
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason saw the value before
//@ scratch state i32 ceil_div(n,64)*2 zeroed
//@ scratch ticket u32 1 zeroed
//@ launch look_back | ceil_div(n,64) | 64 | x, y, state, ticket, i32:n
#include <cuda/atomic>
extern "C" __global__ void look_back(const int* x, int* y, int* state, unsigned int* ticket,
                                     int n) {
  __shared__ int base, b;
  __shared__ int part[64];
  using Place = cuda::atomic_ref<int, cuda::thread_scope_device>;
  constexpr auto relaxed = cuda::memory_order_relaxed;
  int t = threadIdx.x;
  if (t == 0) b = atomicAdd(ticket, 1u);
  __syncthreads();
  int i = b * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (b > 0) {
      while (Place(state[2 * b - 1]).load(relaxed) == 0) {
      }
      before = Place(state[2 * b - 2]).load(relaxed);
    }
    Place(state[2 * b]).store(before + own, relaxed);
    Place(state[2 * b + 1]).store(1, relaxed);
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case only_the_writer_fences
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, i32:n
//@ cooperative
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          int n) {
  __shared__ int base;
  __shared__ int part[64];
  int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (b > 0) {
      while (ready[b - 1] == 0) {
      }
      before = total[b - 1];
    }
    total[b] = before + own;
    __threadfence();
    ready[b] = 1;
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case only_the_reader_fences
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch total i32 ceil_div(n,64)
//@ scratch ready i32 ceil_div(n,64) zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, ready, i32:n
//@ cooperative
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, volatile int* ready,
                                          int n) {
  __shared__ int base;
  __shared__ int part[64];
  int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    int before = 0, own = 0;
    for (int k = 0; k < 64; ++k) own += part[k];
    if (b > 0) {
      while (ready[b - 1] == 0) {
      }
      __threadfence();
      before = total[b - 1];
    }
    total[b] = before + own;
    ready[b] = 1;
    base = before;
  }
  __syncthreads();
  int sum = base;
  for (int k = 0; k < t; ++k) sum += part[k];
  if (i < n) y[i] = sum;
}

//@ case the_neighbours_result_is_there_by_now
//@ task exclusive_scan
//@ expect wrong
//@ unseen
//@ reason global race
//@ scratch total i32 ceil_div(n,64) zeroed
//@ launch exclusive_scan | ceil_div(n,64) | 64 | x, y, total, i32:n
extern "C" __global__ void exclusive_scan(const int* x, int* y, int* total, int n) {
  int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
  int before = b > 0 ? __ldcg(&total[b - 1]) : 0;
  int sum = before;
  for (int k = b * 64; k < i && k < n; ++k) sum += x[k];
  if (i < n) y[i] = sum;
  if (t == 63) total[b] = sum + (i < n ? x[i] : 0);
}

//@ case partial_sums_through_the_read_only_cache
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason read-only cache
//@ scratch part f32 rows*2
//@ scratch arrived u32 rows zeroed
//@ launch row_sum | rows, 2 | 32 | x, sums, part, arrived, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part, unsigned int* arrived,
                                   int rows, int columns) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 64) sum += x[row * columns + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x != 0) return;
  part[row * 2 + blockIdx.y] = sum;
  __threadfence();
  if (atomicAdd(&arrived[row], 1u) != 1u) return;
  __threadfence();
  sums[row] = __ldg(&part[row * 2]) + __ldg(&part[row * 2 + 1]);
}

//@ case a_restricted_alias_of_what_it_writes
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason read-only cache
//@ scratch part f32 rows*64
//@ launch row_sum | rows | 64 | x, sums, part, part, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, float* part,
                                   const float* __restrict__ again, int rows, int columns) {
  int t = threadIdx.x, at = blockIdx.x * 64;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[at + t] = sum;
  __syncthreads();
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += __ldg(again + at + i);
  sums[blockIdx.x] = all;
}
