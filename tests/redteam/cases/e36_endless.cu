// Row 36: does not end.

//@ case waits_for_itself
//@ task vector_add
//@ expect timed_out
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Of its own: the simulator tells of uninitialised memory and of races before it tells of a loop.
  volatile float* flag = z + i;
  flag[0] = x[i] + y[i];
  while (flag[0] != 12345.0f) flag[0] = 1.0f;
}

//@ case half_of_the_block_waits_at_a_barrier
//@ task row_sum
//@ expect timed_out
//@ launch row_sum | 1 | 64 | x, sums, i32:rows, i32:columns
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  if (threadIdx.x < 32) {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  }
  if (threadIdx.x < rows) sums[threadIdx.x] = x[threadIdx.x];
}
