/*
expect = "refuses"
refusal = "does not meet the keys that have scores"

[[argument]]
name = "q"
kind = "in"
dtype = "f16"
shape = ["heads", "n", "dim"]

[[argument]]
name = "k"
kind = "in"
dtype = "f16"
shape = ["heads", "n", "dim"]

[[argument]]
name = "v"
kind = "in"
dtype = "f16"
shape = ["heads", "n", "dim"]

[[argument]]
name = "out"
kind = "out"
dtype = "f16"
shape = ["heads", "n", "dim"]

[contract]
tolerance = "reduction"
accumulate = "f32"

[cost]
bytes = "8 * heads * n * dim"
flops = "8 * heads * n * dim"

[[workload]]
name = "w0"
timed = true
sizes = { heads = 2, n = 37, dim = 32 }

[[workload]]
name = "w1"
sizes = { heads = 1, n = 1, dim = 1 }

[[workload]]
name = "w2"
sizes = { heads = 3, n = 17, dim = 7 }

[[workload]]
name = "w3"
sizes = { heads = 1, n = 67, dim = 33 }

[[kernel.launch]]
kernel = "attend"
grid = ["n", "heads"]
block = [128]
shared_bytes = "4 * n"
arguments = ["q", "k", "v", "out", "i32:n", "i32:dim"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void attend(const __half* q, const __half* k, const __half* v, __half* out, int n, int dim) {
  extern __shared__ float scores[];
  __shared__ float sum;
  int row = blockIdx.x;
  int head = blockIdx.y;
  const __half* mine = q + (head * n + row) * dim;
  for (int j = threadIdx.x; j <= row; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(mine[i]) * __half2float(k[(head * n + j) * dim + i]);
    }
    scores[j] = score / sqrtf((float)dim);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = scores[0];
    for (int j = 1; j < row; ++j) largest = fmaxf(largest, scores[j]);
    sum = 0.0f;
    for (int j = 0; j < row; ++j) {
      scores[j] = expf(scores[j] - largest);
      sum += scores[j];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j <= row; ++j) {
      value += scores[j] * __half2float(v[(head * n + j) * dim + i]);
    }
    out[(head * n + row) * dim + i] = __float2half(value / sum);
  }
}
