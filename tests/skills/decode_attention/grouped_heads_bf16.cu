/*
expect = "applies"

[[argument]]
name = "q"
kind = "in"
dtype = "bf16"
shape = ["n", "heads", "dim"]

[[argument]]
name = "k"
kind = "in"
dtype = "bf16"
shape = ["n", "ceil_div(heads, 2)", "dim"]

[[argument]]
name = "v"
kind = "in"
dtype = "bf16"
shape = ["n", "ceil_div(heads, 2)", "dim"]

[[argument]]
name = "out"
kind = "out"
dtype = "f32"
shape = ["n", "heads", "dim"]

[contract]
tolerance = "reduction"
accumulate = "f32"

[cost]
bytes = "8 * heads * n * dim"
flops = "8 * heads * n * dim"

[[workload]]
name = "w0"
timed = true
sizes = { heads = 4, n = 40, dim = 32 }

[[workload]]
name = "w1"
sizes = { heads = 1, n = 5, dim = 12 }

[[workload]]
name = "w2"
sizes = { heads = 3, n = 33, dim = 8 }

[[kernel.launch]]
kernel = "attend"
grid = ["heads", "n"]
block = [64]
shared_bytes = "4 * n"
arguments = ["q", "k", "v", "out", "i32:n", "i32:heads", "i32:dim"]
*/
#include <cuda_bf16.h>

extern "C" __global__ void attend(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, int n, int heads, int dim) {
  extern __shared__ float scores[];
  __shared__ float sum;
  __shared__ float largest;
  int row = blockIdx.y;
  int head = blockIdx.x;
  int shared_head = head / 2;
  const __nv_bfloat16* mine = q + (row * heads + head) * dim;
  const __nv_bfloat16* keys = k + shared_head * dim;
  int stride = (heads + 1) / 2 * dim;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __bfloat162float(mine[i]) * __bfloat162float(keys[j * stride + i]);
    }
    scores[j] = 0.125f * score;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float most = -INFINITY;
    for (int j = 0; j < n; ++j) if (scores[j] > most) most = scores[j];
    largest = most;
  }
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    scores[j] = __expf(scores[j] - largest);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0.0f;
    for (int j = 0; j < n; ++j) sum += scores[j];
  }
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x) scores[j] /= sum;
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j < n; ++j) {
      value += scores[j] * __bfloat162float(v[(j * ((heads + 1) / 2) + shared_head) * dim + i]);
    }
    out[(row * heads + head) * dim + i] = value;
  }
}
