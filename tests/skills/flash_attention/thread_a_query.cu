/*
expect = "applies"

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
sizes = { heads = 2, n = 41, dim = 32 }

[[workload]]
name = "w1"
sizes = { heads = 1, n = 1, dim = 1 }

[[workload]]
name = "w2"
sizes = { heads = 3, n = 64, dim = 9 }

[[kernel.launch]]
kernel = "attend"
grid = ["ceil_div(n, 32)", "heads"]
block = [32]
shared_bytes = "0"
arguments = ["q", "k", "v", "out", "i32:n", "i32:dim"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void attend(const __half* q, const __half* k, const __half* v, __half* out,
                                  int n, int dim) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  int head = blockIdx.y;
  float scores[64];
  for (int j = 0; j < n; ++j) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(q[(head * n + at) * dim + i]) * __half2float(k[(head * n + j) * dim + i]);
    }
    scores[j] = score / sqrtf((float)dim);
  }
  float largest = -INFINITY;
  for (int j = 0; j < n; ++j) largest = fmaxf(largest, scores[j]);
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) {
    const float weight = expf(scores[j] - largest);
    scores[j] = weight;
    sum += weight;
  }
  const float inverse = 1.0f / sum;
  for (int i = 0; i < dim; ++i) {
    float value = 0.0f;
    for (int j = 0; j < n; ++j) value += scores[j] * __half2float(v[(head * n + j) * dim + i]);
    out[(head * n + at) * dim + i] = __float2half(value * inverse);
  }
}
