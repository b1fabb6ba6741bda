/*
expect = "applies"

[[argument]]
name = "counts"
kind = "in"
dtype = "i32"
shape = ["batch"]
distributions = ["index_range"]
low = 1
high = 5

[[argument]]
name = "q"
kind = "in"
dtype = "f16"
shape = ["5 * batch", "heads", "dim"]

[[argument]]
name = "keys"
kind = "in"
dtype = "f16"
shape = ["batch", "heads", "rows", "dim"]

[[argument]]
name = "values"
kind = "in"
dtype = "f16"
shape = ["batch", "heads", "rows", "dim"]

[[argument]]
name = "out"
kind = "out"
dtype = "f16"
shape = ["5 * batch", "heads", "dim"]

[contract]
tolerance = "reduction"
accumulate = "f32"

[cost]
bytes = "8 * batch * heads * rows * dim"
flops = "8 * batch * heads * rows * dim"

[[workload]]
name = "w0"
timed = true
sizes = { batch = 3, heads = 2, rows = 70, dim = 32 }

[[workload]]
name = "w1"
sizes = { batch = 1, heads = 1, rows = 5, dim = 3 }

[[workload]]
name = "w2"
sizes = { batch = 2, heads = 1, rows = 33, dim = 20 }

[[kernel.launch]]
kernel = "attend"
grid = ["heads", "5 * batch"]
block = [64]
shared_bytes = "4 * rows"
arguments = ["counts", "q", "keys", "values", "out", "i32:batch", "i32:rows", "i32:dim"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void attend(const int* counts, const __half* q, const __half* keys,
                                  const __half* values, __half* out, int batch, int rows, int dim) {
  extern __shared__ float scores[];
  __shared__ float sum;
  int head = blockIdx.x;
  int token = blockIdx.y;
  int sample = 0;
  int step = token;
  while (sample < batch && step >= counts[sample]) {
    step -= counts[sample];
    ++sample;
  }
  if (sample == batch) {
    for (int i = threadIdx.x; i < dim; i += blockDim.x) {
      out[(token * gridDim.x + head) * dim + i] = __float2half(0.0f);
    }
    return;
  }
  int length = rows - counts[sample] + step + 1;
  const __half* mine = q + (token * gridDim.x + head) * dim;
  const __half* k = keys + (sample * gridDim.x + head) * rows * dim;
  const __half* v = values + (sample * gridDim.x + head) * rows * dim;
  for (int j = threadIdx.x; j < length; j += blockDim.x) {
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) {
      score += __half2float(mine[i]) * __half2float(k[j * dim + i]);
    }
    scores[j] = score / sqrtf((float)dim);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = scores[0];
    for (int j = 1; j < length; ++j) largest = fmaxf(largest, scores[j]);
    sum = 0.0f;
    for (int j = 0; j < length; ++j) {
      scores[j] = expf(scores[j] - largest);
      sum += scores[j];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float value = 0.0f;
    for (int j = 0; j < length; ++j) value += scores[j] * __half2float(v[j * dim + i]);
    out[(token * gridDim.x + head) * dim + i] = __float2half(value / sum);
  }
}
