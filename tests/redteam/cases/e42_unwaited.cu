// Row 42: asynchronous copies that nobody waits for, or not those who read.

//@ case a_bulk_copy_and_a_barrier
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason async copy not waited for
//@ scratch line f32 rows*64
//@ launch fill | rows | 64 | x, line, i32:rows, i32:columns
//@ launch row_sum | rows | 64 | line, sums, i32:rows
extern "C" __global__ void fill(const float* x, float* line, int rows, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  line[blockIdx.x * 64 + threadIdx.x] = sum;
}
extern "C" __global__ void row_sum(const float* line, float* sums, int rows) {
  __shared__ __align__(16) float tile[64];
  __shared__ __align__(8) unsigned long long gate;
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&gate);
  unsigned int to = (unsigned int)__cvta_generic_to_shared(tile);
  int t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
            "r"(to),
        "l"(line + blockIdx.x * 64), "r"(at)
        : "memory");
  }
  __syncthreads();
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += tile[i];
  sums[blockIdx.x] = all;
}

//@ case only_one_thread_waits_for_the_bulk_copy
//@ task row_sum
//@ expect wrong
//@ unseen
//@ scratch line f32 rows*64
//@ launch fill | rows | 64 | x, line, i32:rows, i32:columns
//@ launch row_sum | rows | 64 | line, sums, i32:rows
extern "C" __global__ void fill(const float* x, float* line, int rows, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  line[blockIdx.x * 64 + threadIdx.x] = sum;
}
extern "C" __global__ void row_sum(const float* line, float* sums, int rows) {
  __shared__ __align__(16) float tile[64];
  __shared__ __align__(8) unsigned long long gate;
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&gate);
  unsigned int to = (unsigned int)__cvta_generic_to_shared(tile);
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
            "r"(to),
        "l"(line + blockIdx.x * 64), "r"(at)
        : "memory");
    unsigned int done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(at)
          : "memory");
    }
  }
  if (t != 40) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += tile[i];
  sums[blockIdx.x] = all;
}

//@ case waits_for_a_phase_that_was_never_open
//@ task row_sum
//@ expect wrong
//@ unseen
//@ scratch line f32 rows*64
//@ launch fill | rows | 64 | x, line, i32:rows, i32:columns
//@ launch row_sum | rows | 64 | line, sums, i32:rows
extern "C" __global__ void fill(const float* x, float* line, int rows, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  line[blockIdx.x * 64 + threadIdx.x] = sum;
}
extern "C" __global__ void row_sum(const float* line, float* sums, int rows) {
  __shared__ __align__(16) float tile[128];
  __shared__ __align__(8) unsigned long long gate[2];
  int t = threadIdx.x;
  unsigned int first = (unsigned int)__cvta_generic_to_shared(&gate[0]);
  unsigned int second = (unsigned int)__cvta_generic_to_shared(&gate[1]);
  unsigned int to = (unsigned int)__cvta_generic_to_shared(tile);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(first) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(second) : "memory");
  }
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(first) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
            "r"(to),
        "l"(line + blockIdx.x * 64), "r"(first)
        : "memory");
  }
  unsigned int done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(second)
        : "memory");
  }
  if (t != 0) return;
  float all = 0.0f;
  for (int i = 0; i < 64; ++i) all += tile[i];
  sums[blockIdx.x] = all;
}

//@ case waits_for_all_groups_but_the_newest
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason async copy not waited for
//@ launch row_sum | rows | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float tile[2][32];
  int t = threadIdx.x;
  unsigned int to = (unsigned int)__cvta_generic_to_shared(&tile[0][t]);
  float sum = 0.0f;
  for (int c = t, i = 0; c - t < columns; c += 32, ++i) {
    const float* from = x + blockIdx.x * columns + min(c, columns - 1);
    int bytes = c < columns ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + i % 2 * 128), "l"(from),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    sum += tile[i % 2][t];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t == 0) sums[blockIdx.x] = sum;
}

//@ case waits_for_its_own_copies_and_reads_all
//@ task row_sum
//@ expect wrong
//@ unseen
//@ launch row_sum | rows | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  __shared__ float tile[192];
  int t = threadIdx.x;
  for (int c = t; c < columns; c += 64) {
    unsigned int to = (unsigned int)__cvta_generic_to_shared(&tile[c]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                 "l"(x + blockIdx.x * columns + c)
                 : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (t != 0) return;
  float all = 0.0f;
  for (int c = 0; c < columns; ++c) all += tile[c];
  sums[blockIdx.x] = all;
}
