// Honest kernels around integers, means, level rows, crowded indices and values that are not finite.

//@ case sixty_four_bits
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = static_cast<int>(3LL * x[i] - y[i]);
}

//@ case shifts_and_adds
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = static_cast<unsigned>(x[i]);
  z[i] = static_cast<int>((v << 1) + v - static_cast<unsigned>(y[i]));
}

//@ case four_at_once
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    int4 a = *reinterpret_cast<const int4*>(x + i), b = *reinterpret_cast<const int4*>(y + i);
    *reinterpret_cast<int4*>(z + i) =
        make_int4(3 * a.x - b.x, 3 * a.y - b.y, 3 * a.z - b.z, 3 * a.w - b.w);
  } else {
    for (; i < n; ++i) z[i] = 3 * x[i] - y[i];
  }
}

//@ case in_double_precision
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = __double2int_rn(3.0 * x[i] - y[i]);
}

//@ case a_stride_over_the_grid
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    asm("mad.lo.s32 %0, %1, 3, %2;" : "=r"(z[i]) : "r"(x[i]), "r"(-y[i]));
  }
}

//@ case or_less_half_of_xor
//@ task byte_blend
//@ expect accepted
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = (x[i] | y[i]) - ((x[i] ^ y[i]) >> 1);
}

//@ case four_bytes_in_a_word
//@ task byte_blend
//@ expect accepted
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    unsigned a = *reinterpret_cast<const unsigned*>(x + i);
    unsigned b = *reinterpret_cast<const unsigned*>(y + i);
    *reinterpret_cast<unsigned*>(z + i) = (a | b) - (((a ^ b) & 0xfefefefeu) >> 1);
  } else {
    for (; i < n; ++i) z[i] = (x[i] + y[i] + 1) / 2;
  }
}

//@ case sixteen_bits_are_enough_for_a_sum
//@ task byte_blend
//@ expect accepted
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned short sum = static_cast<unsigned short>(x[i]) + y[i] + 1;
  z[i] = static_cast<unsigned char>(sum >> 1);
}

//@ case the_larger_of_two
//@ task leaky_relu
//@ expect accepted
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = fmaxf(x[i], 0.125f * x[i]);
}

//@ case a_factor_by_sign
//@ task leaky_relu
//@ expect accepted
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * (x[i] < 0.0f ? 0.125f : 1.0f);
}

//@ case a_division
//@ task leaky_relu
//@ expect accepted
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = !(x[i] < 0.0f) ? x[i] : x[i] / 8.0f;
}

//@ case loads_of_sixteen_bytes
//@ task leaky_relu
//@ expect accepted
__device__ float leaky(float v) { return v < 0.0f ? 0.125f * v : v; }

extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(z + i) = make_float4(leaky(v.x), leaky(v.y), leaky(v.z), leaky(v.w));
  } else {
    for (; i < n; ++i) z[i] = leaky(x[i]);
  }
}

//@ case welford
//@ task row_variance
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float mean = 0.0f, squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = __half2float(r[c]), d = v - mean;
    mean += d / (c + 1);
    squares += d * (v - mean);
  }
  variance[row] = squares / columns;
}

//@ case one_pass_in_double_precision
//@ task row_variance
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  double sum = 0, squares = 0;
  for (int c = 0; c < columns; ++c) {
    double v = __half2float(r[c]);
    sum += v;
    squares += v * v;
  }
  double mean = sum / columns;
  variance[row] = static_cast<float>(squares / columns - mean * mean);
}

//@ case a_warp_a_row
//@ task row_variance
//@ expect accepted
//@ launch row_variance | ceil_div(rows, 4) | 128 | x, variance, i32:rows, i32:columns
#include <cuda_fp16.h>
__device__ float all_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  return v;
}

extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f;
  for (int c = lane; c < columns; c += 32) sum += __half2float(r[c]);
  float mean = all_sum(sum) / columns, squares = 0.0f;
  for (int c = lane; c < columns; c += 32) {
    float d = __half2float(r[c]) - mean;
    squares += d * d;
  }
  squares = all_sum(squares);
  if (lane == 0) variance[row] = squares / columns;
}

//@ case parts_joined_by_chan
//@ task row_variance
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float mean = 0.0f, squares = 0.0f;
  for (int from = 0; from < columns; from += 32) {
    int count = min(32, columns - from);
    float sum = 0.0f, own = 0.0f;
    for (int c = 0; c < count; ++c) sum += __half2float(r[from + c]);
    float centre = sum / count;
    for (int c = 0; c < count; ++c) {
      float d = __half2float(r[from + c]) - centre;
      own += d * d;
    }
    float delta = centre - mean, all = static_cast<float>(from + count);
    squares += own + delta * delta * from * count / all;
    mean += delta * count / all;
  }
  variance[row] = squares / columns;
}

//@ case a_reciprocal_of_the_length
//@ task layernorm_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half2float(r[c]);
  float mean = sum * (1.0f / columns);
  float squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares = fmaf(d, d, squares);
  }
  float scale = rsqrtf(squares * (1.0f / columns) + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case layernorm_by_welford
//@ task layernorm_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float mean = 0.0f, squares = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = __half2float(r[c]), d = v - mean;
    mean += d / (c + 1);
    squares += d * (v - mean);
  }
  float scale = rsqrtf(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case layernorm_in_double_precision
//@ task layernorm_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  double sum = 0, squares = 0;
  for (int c = 0; c < columns; ++c) {
    double v = __half2float(r[c]);
    sum += v;
    squares += v * v;
  }
  double mean = sum / columns;
  double scale = 1.0 / sqrt(squares / columns - mean * mean + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = static_cast<float>((__half2float(r[c]) - mean) * scale);
    y[row * columns + c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

//@ case layernorm_keeps_its_row
//@ task layernorm_f16
//@ expect accepted
//@ launch layernorm | rows | 32 | x, gamma, beta, y, i32:rows, i32:columns, epsilon
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  __shared__ float kept[2048];
  __shared__ float part[32];
  const __half* r = x + blockIdx.x * columns;
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int c = t; c < columns; c += 32) sum += kept[c] = __half2float(r[c]);
  part[t] = sum;
  __syncthreads();
  float mean = 0.0f;
  for (int i = 0; i < 32; ++i) mean += part[i];
  mean /= columns;
  __syncthreads();
  float squares = 0.0f;
  for (int c = t; c < columns; c += 32) squares += (kept[c] - mean) * (kept[c] - mean);
  part[t] = squares;
  __syncthreads();
  squares = 0.0f;
  for (int i = 0; i < 32; ++i) squares += part[i];
  float scale = rsqrtf(squares / columns + epsilon);
  for (int c = t; c < columns; c += 32) {
    y[blockIdx.x * columns + c] = __float2half((kept[c] - mean) * scale * __half2float(gamma[c]) +
                                               __half2float(beta[c]));
  }
}

//@ case a_root_and_a_division
//@ task rmsnorm_bf16
//@ expect accepted
#include <cuda_bf16.h>
extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                   __nv_bfloat16* y, int rows, int columns, float epsilon) {
  __shared__ float part[4];
  const __nv_bfloat16* r = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) {
    float v = __bfloat162float(r[c]);
    sum = fmaf(v, v, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = (part[0] + part[1] + part[2] + part[3]) / columns;
  float scale = __frcp_rn(__fsqrt_rn(mean + epsilon));
  for (int c = threadIdx.x; c < columns; c += 128) {
    y[blockIdx.x * columns + c] =
        __float2bfloat16(__bfloat162float(r[c]) * scale * __bfloat162float(weight[c]));
  }
}

//@ case epsilon_as_a_fused_product
//@ task rmsnorm_bf16
//@ expect accepted
#include <cuda_bf16.h>
extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                   __nv_bfloat16* y, int rows, int columns, float epsilon) {
  __shared__ float part[4];
  const __nv_bfloat16* r = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) {
    float v = __bfloat162float(r[c]);
    sum = fmaf(v, v, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float mean = (part[0] + part[1] + part[2] + part[3]) / columns;
  float scale = rsqrtf(fmaf(mean, 1.0f, epsilon));
  for (int c = threadIdx.x; c < columns; c += 128) {
    y[blockIdx.x * columns + c] =
        __float2bfloat16(__bfloat162float(r[c]) * scale * __bfloat162float(weight[c]));
  }
}

//@ case softmax_in_one_pass
//@ task row_softmax_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float largest = __half2float(r[0]), sum = 1.0f;
  for (int c = 1; c < columns; ++c) {
    float v = __half2float(r[c]), next = fmaxf(largest, v);
    sum = sum * __expf(largest - next) + __expf(v - next);
    largest = next;
  }
  for (int c = 0; c < columns; ++c) {
    y[row * columns + c] = __float2half(__expf(__half2float(r[c]) - largest) / sum);
  }
}

//@ case softmax_in_powers_of_two
//@ task row_softmax_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  constexpr float kLog2e = 1.4426950408889634f;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float largest = -3.402823466e38f;
  for (int c = 0; c < columns; ++c) largest = fmaxf(largest, __half2float(r[c]));
  float shift = largest * kLog2e, sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += exp2f(fmaf(__half2float(r[c]), kLog2e, -shift));
  float share = 1.0f / sum;
  for (int c = 0; c < columns; ++c) {
    y[row * columns + c] = __float2half(exp2f(fmaf(__half2float(r[c]), kLog2e, -shift)) * share);
  }
}

//@ case a_table_for_each_block
//@ task histogram
//@ expect accepted
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  if (own[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

//@ case equal_values_of_a_warp_together
//@ task histogram
//@ expect accepted
extern "C" __global__ void clear_counts(unsigned int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count_values(const unsigned char* x, unsigned int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i < n ? x[i] : 256u + threadIdx.x;
  unsigned same = __match_any_sync(0xffffffffu, value);
  bool leads = __ffs(same) - 1 == threadIdx.x % 32;
  if (i < n && leads) atomicAdd(&counts[value], static_cast<unsigned>(__popc(same)));
}

//@ case counts_by_digit
//@ task radix_pass
//@ expect accepted
#define WIDTH(v) (v)
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

//@ case a_lane_for_each_entry
//@ task spmv_ell
//@ expect accepted
//@ launch spmv | ceil_div(rows, 4) | 128 | lengths, columns, values, x, y, i32:rows
extern "C" __global__ void spmv(const int* lengths, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = lane < lengths[row] ? values[row * 32 + lane] * x[columns[row * 32 + lane]] : 0.0f;
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  if (lane == 0) y[row] = v;
}

//@ case rounded_once_from_double
//@ task vector_add
//@ expect accepted
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = static_cast<float>(static_cast<double>(x[i]) + static_cast<double>(y[i]));
}

//@ case three_rounded_parts_of_a_product
//@ task gemm_f32
//@ expect accepted
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f, lost = 0.0f;
  for (int i = 0; i < k; ++i) {
    float p = a[row * k + i], q = b[i * n + column];
    float product = p * q;
    lost += fmaf(p, q, -product);
    sum += product;
  }
  c[row * n + column] = sum + lost;
}

//@ case sums_with_kahan
//@ task row_sum
//@ expect accepted
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f, lost = 0.0f;
  for (int c = 0; c < columns; ++c) {
    float v = x[row * columns + c] - lost;
    float next = sum + v;
    lost = (next - sum) - v;
    sum = next;
  }
  sums[row] = sum;
}

//@ case four_partial_sums
//@ task row_sum
//@ expect accepted
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  int c = 0;
  for (; c + 3 < columns; c += 4) {
    s0 += x[row * columns + c];
    s1 += x[row * columns + c + 1];
    s2 += x[row * columns + c + 2];
    s3 += x[row * columns + c + 3];
  }
  for (; c < columns; ++c) s0 += x[row * columns + c];
  sums[row] = (s0 + s1) + (s2 + s3);
}

//@ case a_tile_with_a_pad
//@ task transpose
//@ expect accepted
extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
  __shared__ float tile[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = input[row * columns + column];
  __syncthreads();
  int to_row = blockIdx.x * 16 + threadIdx.y, to_column = blockIdx.y * 16 + threadIdx.x;
  if (to_row < columns && to_column < rows)
    output[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
}

//@ case a_scan_in_blocks_of_1024
//@ task exclusive_scan
//@ expect accepted
extern "C" __global__ void exclusive_scan(const int* x, int* y, int n) {
  int lane = threadIdx.x, carry = 0;
  for (int from = 0; from < n; from += 32) {
    int i = from + lane, v = i < n ? x[i] : 0, sum = v;
    for (int step = 1; step < 32; step *= 2) {
      int other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    if (i < n) y[i] = carry + sum - v;
    carry += __shfl_sync(0xffffffffu, sum, 31);
  }
}
