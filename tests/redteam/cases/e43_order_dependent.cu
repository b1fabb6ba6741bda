// Row 43: results whose bits depend on who comes first, though the contract wants them equal.

//@ case float_atomics_of_many_blocks
//@ task row_sum
//@ expect wrong
//@ unseen
//@ reason not deterministic
//@ launch clear | ceil_div(rows, 128) | 128 | sums, i32:rows
//@ launch row_sum | rows, 8 | 32 | x, sums, i32:rows, i32:columns
extern "C" __global__ void clear(float* sums, int rows) {
  int row = blockIdx.x * 128 + threadIdx.x;
  if (row < rows) sums[row] = 0.0f;
}
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  float sum = 0.0f;
  for (int c = blockIdx.y * 32 + threadIdx.x; c < columns; c += 256) {
    sum += x[blockIdx.x * columns + c];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) atomicAdd(&sums[blockIdx.x], sum);
}

//@ case float_atomics_of_the_warps_of_a_block
//@ task dot
//@ expect wrong
//@ unseen
//@ reason not deterministic
//@ launch dot | 1 | 512 | x, y, result, i32:n
extern "C" __global__ void dot(const float* x, const float* y, float* result, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 512) sum += x[i] * y[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) *result = total;
}

//@ case slots_by_arrival
//@ task dot
//@ expect wrong
//@ unseen
//@ reason not deterministic
//@ scratch part f32 64
//@ scratch next u32 1 zeroed
//@ launch partial | 64 | 32 | x, y, part, next, i32:n
//@ launch finish | 1 | 1 | part, result
extern "C" __global__ void partial(const float* x, const float* y, float* part, unsigned int* next,
                                   int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 2048) sum += x[i] * y[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) part[atomicAdd(next, 1u)] = sum;
}
extern "C" __global__ void finish(const float* part, float* result) {
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += part[i];
  *result = sum;
}

//@ case a_loop_of_compare_and_swap
//@ task dot
//@ expect wrong
//@ unseen
//@ reason not deterministic
//@ launch clear | 1 | 1 | result
//@ launch dot | 64 | 32 | x, y, result, i32:n
extern "C" __global__ void clear(float* result) { *result = 0.0f; }
extern "C" __global__ void dot(const float* x, const float* y, float* result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 2048) sum += x[i] * y[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x != 0) return;
  int* place = (int*)result;
  int seen = atomicAdd(place, 0);
  while (true) {
    int before = atomicCAS(place, seen, __float_as_int(__int_as_float(seen) + sum));
    if (before == seen) break;
    seen = before;
  }
}
