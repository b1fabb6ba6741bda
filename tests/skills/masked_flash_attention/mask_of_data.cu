/*
expect = "applies"

[[argument]]
name = "named"
kind = "in"
dtype = "i32"
shape = ["ceil_div(n, 16)", 2]
distributions = ["index_range"]
low = 0
high = 9

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
sizes = { heads = 4, n = 97, dim = 32 }

[[workload]]
name = "w1"
sizes = { heads = 1, n = 1, dim = 3 }

[[workload]]
name = "w2"
sizes = { heads = 2, n = 161, dim = 16 }

[[kernel.launch]]
kernel = "attend"
grid = ["n", "heads"]
block = [64]
shared_bytes = "4 * n"
arguments = ["named", "q", "k", "v", "out", "i32:n", "i32:dim"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void attend(const int* named, const __half* q, const __half* k, const __half* v, __half* out, int n, int dim) {
  extern __shared__ float scores[];
  __shared__ float sum;
  const int row = blockIdx.x, head = blockIdx.y;
  const __half* mine = q + (head * n + row) * dim;
  for (int j = threadIdx.x; j <= row; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(mine[i]) * __half2float(k[(head * n + j) * dim + i]);
    }
    bool near = j < 8 || j / 16 == row / 16;
    for (int n_named = 0; n_named < 2; ++n_named) {
      near = near || named[row / 16 * 2 + n_named] == j / 16;
    }
    scores[j] = near ? score * rsqrtf((float)dim) : -INFINITY;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = scores[0];
    for (int j = 1; j <= row; ++j) largest = fmaxf(largest, scores[j]);
    sum = 0.0f;
    for (int j = 0; j <= row; ++j) {
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
