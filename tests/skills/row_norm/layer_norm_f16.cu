/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["rows", "columns"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f16"
shape = ["columns"]

[[argument]]
name = "shift"
kind = "in"
dtype = "f16"
shape = ["columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 40, columns = 1024 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 13 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 1003 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "layer_norm"
grid = ["rows"]
block = [256]
arguments = ["x", "scale", "shift", "y", "i32:columns", "f32:0.00001"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void layer_norm(const __half* x, const __half* scale, const __half* shift,
                                      __half* y, int columns, float eps) {
  __shared__ float sums[256];
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 256) sum += __half2float(x[row * columns + c]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step >>= 1) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  const float mean = sums[0] / columns;
  __syncthreads();
  float squares = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 256) {
    const float distance = __half2float(x[row * columns + c]) - mean;
    squares += distance * distance;
  }
  sums[threadIdx.x] = squares;
  __syncthreads();
  for (int step = 128; step > 0; step >>= 1) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  const float inverse = rsqrtf(sums[0] / columns + eps);
  for (int c = threadIdx.x; c < columns; c += 256) {
    const float normed = (__half2float(x[row * columns + c]) - mean) * inverse;
    y[row * columns + c] = __float2half(normed * __half2float(scale[c]) + __half2float(shift[c]));
  }
}
