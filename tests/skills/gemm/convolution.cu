/*
expect = "refuses"
refusal = "not a matrix"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["channels", "length"]

[[argument]]
name = "w"
kind = "in"
dtype = "f16"
shape = ["filters", "channels", "3"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["filters", "length"]

[[workload]]
name = "aligned"
timed = true
sizes = { channels = 32, length = 128, filters = 64 }

[contract]
tolerance = "reduction"

[cost]
bytes = "2 * (channels * length + filters * (channels * 3 + length))"
flops = "6 * filters * channels * length"

[[kernel.launch]]
kernel = "convolve"
grid = ["ceil_div(length, block_x)", "filters"]
block = [64]
arguments = ["x", "w", "y", "i32:channels", "i32:length"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void convolve(const __half* x, const __half* w, __half* y, int channels,
                                    int length) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int filter = blockIdx.y;
  if (at >= length) return;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    for (int t = 0; t < 3; ++t) {
      const int from = at + t - 1;
      if (from < 0 || from >= length) continue;
      sum += __half2float(x[c * length + from]) * __half2float(w[(filter * channels + c) * 3 + t]);
    }
  }
  y[filter * length + at] = __float2half(sum);
}
