/*
expect = "refuses"
refusal = "it does not pass over its data several times"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 300, columns = 100 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "k"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void k(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  y[row] = sum;
}
