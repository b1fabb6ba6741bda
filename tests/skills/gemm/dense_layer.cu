/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "bf16"
shape = ["rows", "width"]

[[argument]]
name = "w"
kind = "in"
dtype = "bf16"
shape = ["units", "width"]

[[argument]]
name = "bias"
kind = "in"
dtype = "f32"
shape = ["units"]

[[argument]]
name = "y"
kind = "out"
dtype = "bf16"
shape = ["rows", "units"]

[[workload]]
name = "aligned"
timed = true
sizes = { rows = 96, units = 136, width = 192 }

[[workload]]
name = "odd"
sizes = { rows = 35, units = 71, width = 61 }

[contract]
tolerance = "reduction"

[cost]
bytes = "2 * (rows * width + units * width + rows * units)"
flops = "2 * rows * units * width"

[[kernel.launch]]
kernel = "dense"
grid = ["ceil_div(rows * units, block_x)"]
block = [128]
arguments = ["x", "w", "bias", "y", "i32:rows", "i32:units", "i32:width"]
*/
#include <cuda_bf16.h>

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

// A parameter is called as a member of the problem is, and another is written.
extern "C" __global__ void dense(const __nv_bfloat16* x, const __nv_bfloat16* w, const float* bias,
                                 __nv_bfloat16* y, int rows, int units, int width) {
  const int output = blockIdx.x * blockDim.x + threadIdx.x;
  if (output >= rows * units) return;
  const int row = output / units;
  const int unit = output % units;
  x += row * width;
  float sum = 0.0f;
  for (int i = 0; i < width; ++i) {
    sum += __bfloat162float(x[i]) * __bfloat162float(w[unit * width + i]);
  }
  y[output] = __float2bfloat16(gelu(sum + bias[unit]));
}
