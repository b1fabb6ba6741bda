// Row 41: threads of a block that use each other's data without having met.

//@ case the_last_warp_is_volatile
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason saw the value before
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ volatile float part[64];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  __syncthreads();
  if (t < 32) {
    part[t] = part[t] + part[t + 32];
    if (t < 16) part[t] = part[t] + part[t + 16];
    if (t < 8) part[t] = part[t] + part[t + 8];
    if (t < 4) part[t] = part[t] + part[t + 4];
    if (t < 2) part[t] = part[t] + part[t + 2];
    if (t < 1) sums[blockIdx.x] = part[0] + part[1];
  }
}

//@ case half_a_warp_meets
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[32];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  if (t >= 16) return;
  __syncwarp(0xffffu);
  for (int step = 16; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncwarp(0xffffu);
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

//@ case a_shuffle_among_others
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[32];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  if (t < 16) {
    float other = __shfl_xor_sync(0xffffu, sum, 1);
    sum += part[t + 16] + 0.0f * other;
    for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xffffu, sum, step);
    if (t == 0) sums[blockIdx.x] = sum;
  }
}

//@ case the_barrier_of_another_group
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 128 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[128];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 128) sum += x[blockIdx.x * columns + c];
  part[t] = sum;
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 128; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case arrives_and_does_not_wait
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float part[32];
  int t = threadIdx.x;
  float sum = 0.0f;
  if (t < 32) {
    for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
    part[t] = sum;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    if (t == 32) {
      for (int i = 0; i < 32; ++i) sum += part[i];
      sums[blockIdx.x] = sum;
    }
  }
}

//@ case a_flag_in_shared_memory_without_fences
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
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
      ready = 1;
    }
  } else if (t == 32) {
    while (ready == 0) {
    }
    sums[blockIdx.x] = total;
  }
}

//@ case an_atomic_flag_without_a_fence
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float total;
  __shared__ int ready;
  int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < 32) {
    float sum = 0.0f;
    for (int c = t; c < columns; c += 32) sum += x[blockIdx.x * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (t == 0) {
      total = sum;
      atomicExch(&ready, 1);
    }
  } else if (t == 32) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    sums[blockIdx.x] = total;
  }
}

//@ case all_count_and_the_last_does_not_look_back
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
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
  if (atomicAdd(&here, 1) != 63) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case arrives_at_an_mbarrier_and_goes_on
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason uninitialised shared read
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
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case waits_for_the_phase_before
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason uninitialised shared read
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
  unsigned int done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  }
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += part[i];
  sums[blockIdx.x] = all;
}

//@ case fills_a_slot_that_is_still_read
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason shared race
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float slot[2][32];
  int t = threadIdx.x, lane = t % 32, tiles = (columns + 31) / 32;
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    if (t < 32) {
      int c = i * 32 + lane;
      slot[i % 2][lane] = c < columns ? x[blockIdx.x * columns + c] : 0.0f;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += slot[i % 2][lane];
    }
  }
  if (t < 32) return;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) sums[blockIdx.x] = sum;
}
