/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["rows", "size"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f16"
shape = ["size"]

[[argument]]
name = "shift"
kind = "in"
dtype = "f16"
shape = ["size"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["rows", "size"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 3, size = 8200 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 2, size = 5 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 4, size = 1003 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "layer_norm"
grid = ["rows"]
block = [128]
arguments = ["x", "scale", "shift", "y", "i64:size"]
*/
#include <cuda_fp16.h>

// Two passes for the variance, as given; rows of a whole image.
extern "C" __global__ void layer_norm(const __half* x, const __half* scale, const __half* shift,
                                      __half* y, long long size) {
  __shared__ float warps[4];
  __shared__ float mean_of_row;
  const __half* in = x + blockIdx.x * size;
  __half* out = y + blockIdx.x * size;
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < size; i += blockDim.x) sum += __half2float(in[i]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) mean_of_row = (warps[0] + warps[1] + warps[2] + warps[3]) / size;
  __syncthreads();
  const float mean = mean_of_row;
  float squares = 0.0f;
  for (long long i = threadIdx.x; i < size; i += blockDim.x) {
    const float distance = __half2float(in[i]) - mean;
    squares += distance * distance;
  }
  for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = squares;
  __syncthreads();
  const float variance = (warps[0] + warps[1] + warps[2] + warps[3]) / size;
  const float inverse = rsqrtf(variance + 1e-5f);
  for (long long i = threadIdx.x; i < size; i += blockDim.x) {
    const float normed = (__half2float(in[i]) - mean) * inverse;
    out[i] = __float2half(normed * __half2float(scale[i]) + __half2float(shift[i]));
  }
}
