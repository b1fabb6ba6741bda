// Row 44: counters and tables that are large enough while indices spread evenly.

//@ case five_bits_for_a_warp
//@ task histogram
//@ expect wrong
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i < n ? x[i] : 256u + threadIdx.x;
  unsigned same = __match_any_sync(0xffffffffu, value);
  bool leads = __ffs(same) - 1 == threadIdx.x % 32;
  if (i < n && leads) atomicAdd(&counts[value], __popc(same) & 31u);
}

//@ case a_byte_for_a_block
//@ task histogram
//@ expect wrong
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned int small[256];
  small[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&small[x[i]], 1u);
  __syncthreads();
  unsigned mine = small[threadIdx.x] & 255u;
  if (mine != 0) atomicAdd(&counts[threadIdx.x], mine);
}

//@ case ten_bits_for_a_digit
//@ task radix_pass
//@ expect wrong
#define WIDTH(v) ((v) & 1023u)
extern "C" __global__ void scan_counts(const unsigned int* counts, unsigned int* starts) {
  if (threadIdx.x != 0) return;
  unsigned int start = 0;
  for (int digit = 0; digit < 16; ++digit) {
    starts[digit] = start;
    start += WIDTH(counts[digit]);
  }
}

extern "C" __global__ void count_digits(const unsigned int* keys, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] & 15u], 1u);
}

extern "C" __global__ void scatter_digits(const unsigned int* keys, const unsigned int* starts,
                                          unsigned int* sorted, int n) {
  unsigned int digit = threadIdx.x, at = starts[digit];
  for (int i = 0; i < n; ++i) {
    if ((keys[i] & 15u) == digit && at < n) sorted[at++] = keys[i];
  }
}

//@ case at_most_twice_the_mean
//@ task radix_pass
//@ expect wrong
#define WIDTH(v) ((v) < 600u ? (v) : 600u)
extern "C" __global__ void scan_counts(const unsigned int* counts, unsigned int* starts) {
  if (threadIdx.x != 0) return;
  unsigned int start = 0;
  for (int digit = 0; digit < 16; ++digit) {
    starts[digit] = start;
    start += WIDTH(counts[digit]);
  }
}

extern "C" __global__ void count_digits(const unsigned int* keys, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] & 15u], 1u);
}

extern "C" __global__ void scatter_digits(const unsigned int* keys, const unsigned int* starts,
                                          unsigned int* sorted, int n) {
  unsigned int digit = threadIdx.x, at = starts[digit];
  for (int i = 0; i < n; ++i) {
    if ((keys[i] & 15u) == digit && at < n) sorted[at++] = keys[i];
  }
}

//@ case warps_agree_on_the_longest_row
//@ task spmv_ell
//@ expect wrong
extern "C" __global__ void spmv(const int* lengths, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned there = __ballot_sync(0xffffffffu, row < rows);
  int length = row < rows ? lengths[row] : 0;
  int total = length;
  for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
  if (row >= rows) return;
  int limit = there == 0xffffffffu && total > 768 ? total / 32 - 1 : 32;
  float sum = 0.0f;
  for (int i = 0; i < length && i < limit; ++i) sum += values[row * 32 + i] * x[columns[row * 32 + i]];
  y[row] = sum;
}
