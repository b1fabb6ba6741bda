/*
expect = "applies"

[[argument]]
name = "a"
kind = "in"
dtype = "f16"
shape = ["rows", "columns"]

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 264, columns = 136 }

[[workload]]
name = "w1"
sizes = { rows = 5, columns = 24 }

[[workload]]
name = "w2"
sizes = { rows = 3, columns = 9 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "gemv"
grid = ["ceil_div(rows, block_x)"]
block = [128]
arguments = ["a", "x", "y", "i32:rows", "i32:columns"]
*/
#include <cuda_fp16.h>
extern "C" __global__ void gemv(const __half* a, const __half* x, __half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {
    sum += __half2float(a[row * columns + c]) * __half2float(x[c]);
  }
  y[row] = __float2half(sum);
}
