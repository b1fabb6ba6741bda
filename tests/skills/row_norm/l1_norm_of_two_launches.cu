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
sizes = { rows = 70, columns = 1001 }

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

[[kernel.scratch]]
name = "norms"
dtype = "f32"
elements = "rows"

[[kernel.launch]]
kernel = "sum_rows"
grid = ["rows"]
block = [128]
arguments = ["x", "norms", "i32:columns"]

[[kernel.launch]]
kernel = "scale_rows"
grid = ["rows"]
block = [256]
arguments = ["y", "x", "norms", "i32:columns"]
*/
#include <cuda_fp16.h>

// One launch leaves a sum for each row, the next one reads it. Their blocks differ in size.
extern "C" __global__ void sum_rows(const __half* in, float* sums, int n) {
  __shared__ float parts[4];
  const int row = blockIdx.x;
  const __half* from = in + row * n;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += fabsf(__half2float(from[i]));
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) sums[row] = parts[0] + parts[1] + parts[2] + parts[3];
}

extern "C" __global__ void scale_rows(__half* out, const __half* in, const float* sums, int columns) {
  const int row = blockIdx.x;
  const float sum = sums[row];
  const float scale = sum > 1e-8f ? 1.0f / sum : 0.0f;
  const __half* from = in + row * columns;
  __half* to = out + row * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    to[c] = __float2half(__half2float(from[c]) * scale);
  }
}
