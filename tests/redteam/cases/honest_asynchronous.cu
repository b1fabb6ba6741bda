// Honest kernels that wait: mbarriers, barrier and pipeline objects, asynchronous copies.

//@ case a_barrier_object_in_two_steps
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 96 | x, sums, i32:rows, i32:columns
#include <cuda/barrier>
#include <utility>
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[96];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> gate;
  int t = threadIdx.x;
  if (t == 0) init(&gate, 96);
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < columns; c += 96) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  auto token = gate.arrive();
  float first = t < columns ? x[blockIdx.x * columns + t] : 0.0f;
  gate.wait(std::move(token));
  if (t >= 32) return;
  sum = part[t] + part[t + 32] + part[t + 64] + 0.0f * (first - first);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) sums[blockIdx.x] = sum;
}

//@ case a_barrier_object_many_times
//@ task exclusive_scan
//@ expect accepted
//@ launch exclusive_scan | 1 | 128 | x, y, i32:n
#include <cuda/barrier>
extern "C" __global__ void exclusive_scan(const int* x, int* y, int n) {
  __shared__ int part[2][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> gate;
  int t = threadIdx.x;
  if (t == 0) init(&gate, 128);
  __syncthreads();
  int base = 0;
  for (int begin = 0; begin < n; begin += 128) {
    int own = begin + t < n ? x[begin + t] : 0, now = 0;
    part[0][t] = own;
    gate.arrive_and_wait();
    for (int step = 1; step < 128; step *= 2, now ^= 1) {
      part[now ^ 1][t] = part[now][t] + (t >= step ? part[now][t - step] : 0);
      gate.arrive_and_wait();
    }
    if (begin + t < n) y[begin + t] = base + part[now][t] - own;
    base += part[now][127];
    gate.arrive_and_wait();
  }
}

//@ case a_ring_of_three_slots
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 96 | x, sums, i32:rows, i32:columns
__device__ void wait(unsigned int gate, unsigned int parity) {
  unsigned int done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(gate), "r"(parity)
        : "memory");
  }
}
__device__ void arrive(unsigned int gate) {
  asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(gate)
               : "memory");
}
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float slot[3][32];
  __shared__ float halves[2];
  __shared__ __align__(8) unsigned long long gates[6];
  unsigned int full = (unsigned int)__cvta_generic_to_shared(gates), empty = full + 24;
  int t = threadIdx.x, lane = t % 32, warp = t / 32, tiles = (columns + 31) / 32;
  if (t < 6) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(full + 8 * t), "r"(t < 3 ? 1 : 2)
                 : "memory");
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    int s = i % 3, round = i / 3;
    if (warp == 0) {
      if (round > 0) wait(empty + 8 * s, (round - 1) & 1);
      int c = i * 32 + lane;
      slot[s][lane] = c < columns ? x[blockIdx.x * columns + c] : 0.0f;
      __syncwarp();
      if (lane == 0) arrive(full + 8 * s);
    } else {
      wait(full + 8 * s, round & 1);
      if (lane < 16) sum += slot[s][lane * 2 + warp - 1];
      __syncwarp();
      if (lane == 0) arrive(empty + 8 * s);
    }
  }
  if (warp > 0) {
    for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) halves[warp - 1] = sum;
  }
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = halves[0] + halves[1];
}

//@ case does_other_work_between_two_looks
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[64];
  __shared__ __align__(8) unsigned long long gate;
  int t = threadIdx.x;
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&gate);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(at) : "memory");
  unsigned int done = 0, looks = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
    ++looks;
  }
  if (t >= 32) return;
  sum = part[t] + part[t + 32] + (looks == 0 ? 1.0f : 0.0f);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) sums[blockIdx.x] = sum;
}

//@ case bulk_copies_in_two_buffers
//@ task row_sum
//@ expect accepted
//@ scratch line f32 rows*256
//@ launch fill | rows | 256 | x, line, i32:rows, i32:columns
//@ launch row_sum | rows | 64 | line, sums, i32:rows
extern "C" __global__ void fill(const float* x, float* line, int rows, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 256) sum += x[blockIdx.x * columns + c];
  line[blockIdx.x * 256 + threadIdx.x] = sum;
}
__device__ void fetch(unsigned int to, const float* from, unsigned int gate) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(gate) : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
          "r"(to),
      "l"(from), "r"(gate)
      : "memory");
}
extern "C" __global__ void row_sum(const float* line, float* sums, int rows) {
  __shared__ __align__(16) float tile[2][64];
  __shared__ __align__(8) unsigned long long gates[2];
  __shared__ float halves[2];
  unsigned int gate = (unsigned int)__cvta_generic_to_shared(gates);
  unsigned int to = (unsigned int)__cvta_generic_to_shared(tile);
  const float* from = line + blockIdx.x * 256;
  int t = threadIdx.x;
  if (t < 2) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(gate + 8 * t) : "memory");
  __syncthreads();
  if (t == 0) fetch(to, from, gate);
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) {
    if (t == 0 && i < 3) fetch(to + (i + 1) % 2 * 256, from + (i + 1) * 64, gate + (i + 1) % 2 * 8);
    unsigned int done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(gate + i % 2 * 8), "r"(i / 2)
          : "memory");
    }
    sum += tile[i % 2][63 - t];
    __syncthreads();
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t % 32 == 0) halves[t / 32] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = halves[0] + halves[1];
}

//@ case copies_in_groups_of_two_stages
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float tile[2][64];
  __shared__ float halves[2];
  int t = threadIdx.x, tiles = (columns + 63) / 64;
  unsigned int to = (unsigned int)__cvta_generic_to_shared(&tile[0][t]);
  const float* line = x + blockIdx.x * columns;
  auto fetch = [&](int i) {
    int c = i * 64 + t;
    int bytes = i < tiles && c < columns ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + i % 2 * 256),
                 "l"(line + min(c, columns - 1)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    fetch(i + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += tile[i % 2][63 - t];
    __syncthreads();
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t % 32 == 0) halves[t / 32] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = halves[0] + halves[1];
}

//@ case a_pipeline_object
//@ task row_sum
//@ expect accepted
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float tile[2][64];
  __shared__ float halves[2];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, tiles = (columns + 63) / 64;
  const float* line = x + blockIdx.x * columns;
  auto fetch = [&](int i) {
    pipeline.producer_acquire();
    if (i * 64 + t < columns) {
      cuda::memcpy_async(&tile[i % 2][t], line + i * 64 + t, sizeof(float), pipeline);
    }
    pipeline.producer_commit();
  };
  fetch(0);
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) fetch(i + 1);
    pipeline.consumer_wait();
    if (i * 64 + 63 - t < columns) sum += tile[i % 2][63 - t];
    pipeline.consumer_release();
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t % 32 == 0) halves[t / 32] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = halves[0] + halves[1];
}
