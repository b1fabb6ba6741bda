/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["rows", "columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 40, columns = 1003 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 67 }

[[workload]]
name = "w3"
timed = false
sizes = { rows = 4, columns = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["rows"]
block = [128]
arguments = ["x", "y", "i32:columns"]
*/
#include <cuda_fp16.h>

// Threads take eight terms a step; those behind the last eight are taken one by one.
extern "C" __global__ void softmax(const __half* x, __half* y, int columns) {
  constexpr int kWidth = 8;
  __shared__ float room[128];
  const int thread = threadIdx.x;
  const int whole = columns / kWidth * kWidth;
  const __half* in = x + blockIdx.x * columns;
  __half* out = y + blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = thread * kWidth; i < whole; i += 128 * kWidth) {
    __half some[kWidth];
#pragma unroll
    for (int k = 0; k < kWidth; ++k) some[k] = in[i + k];
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const float value = __half2float(some[k]);
      if (value > largest) largest = value;
    }
  }
  for (int i = whole + thread; i < columns; i += 128) {
    const float value = __half2float(in[i]);
    if (value > largest) largest = value;
  }
  room[thread] = largest;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (thread < d) room[thread] = fmaxf(room[thread], room[thread + d]);
    __syncthreads();
  }
  largest = room[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = thread * kWidth; i < whole; i += 128 * kWidth) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) sum += expf(__half2float(in[i + k]) - largest);
  }
  for (int i = whole + thread; i < columns; i += 128) sum += expf(__half2float(in[i]) - largest);
  room[thread] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (thread < d) room[thread] += room[thread + d];
    __syncthreads();
  }
  sum = room[0];
  for (int i = thread * kWidth; i < whole; i += 128 * kWidth) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      out[i + k] = __float2half(expf(__half2float(in[i + k]) - largest) / sum);
    }
  }
  for (int i = whole + thread; i < columns; i += 128) {
    out[i] = __float2half(expf(__half2float(in[i]) - largest) / sum);
  }
}
