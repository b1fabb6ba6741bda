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

extern "C" __global__ void attend(const __half* q, const __half* k, const __half* v, __half* out,
                                  int n, int dim) {
  extern __shared__ float scores[];
  __shared__ float staged[64];
  __shared__ float parts[128];
  int tid = threadIdx.x;
  int row = blockIdx.x;
  int head = blockIdx.y;
  for (int i = tid; i < dim; i += blockDim.x) {
    staged[i] = __half2float(q[(head * n + row) * dim + i]) * rsqrtf((float)dim);
  }
  __syncthreads();
  float most = -INFINITY;
  for (int j = tid; j <= row; j += blockDim.x) {
    const __half* key = k + (head * n + j) * dim;
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) score = fmaf(staged[i], __half2float(key[i]), score);
    scores[j] = score;
    most = fmaxf(most, score);
  }
  parts[tid] = most;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) parts[tid] = fmaxf(parts[tid], parts[tid + s]);
    __syncthreads();
  }
  float largest = parts[0];
  __syncthreads();
  float sum = 0.0f;
  for (int j = tid; j <= row; j += blockDim.x) {
    float weight = __expf(scores[j] - largest);
    scores[j] = weight;
    sum += weight;
  }
  parts[tid] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (tid < s) parts[tid] += parts[tid + s];
    __syncthreads();
  }
  const float all = parts[0];
  const float inverse_sum = 1.0f / all;
  for (int i = tid; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j <= row; ++j) value += scores[j] * __half2float(v[(head * n + j) * dim + i]);
    out[(head * n + row) * dim + i] = __float2half(value * inverse_sum);
  }
}
