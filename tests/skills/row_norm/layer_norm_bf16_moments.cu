/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "bf16"
shape = ["rows", "columns"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f32"
shape = ["columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "bf16"
shape = ["rows", "columns"]

[[argument]]
name = "means"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 301, columns = 256 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 2, columns = 5 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 9, columns = 77 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "layer_norm"
grid = ["ceil_div(rows, 4)"]
block = [128]
arguments = ["x", "scale", "y", "means", "i32:rows", "i32:columns"]
*/
#include <cuda_bf16.h>

// A warp a row; mean and variance from one pass, and both are kept for the backward pass.
extern "C" __global__ void layer_norm(const __nv_bfloat16* x, const float* scale,
                                      __nv_bfloat16* y, float* means, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int c = lane; c < columns; c += 32) {
    const float value = __bfloat162float(x[row * columns + c]);
    sum += value;
    squares += value * value;
  }
  for (int d = 16; d > 0; d >>= 1) {
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
    squares += __shfl_xor_sync(0xffffffffu, squares, d);
  }
  const float mean = sum / columns;
  const float inverse = rsqrtf(squares / columns - mean * mean + 1e-5f);
  if (lane == 0) means[row] = mean;
  for (int c = lane; c < columns; c += 32) {
    const float value = __bfloat162float(x[row * columns + c]);
    y[row * columns + c] = __float2bfloat16((value - mean) * inverse * scale[c]);
  }
}
