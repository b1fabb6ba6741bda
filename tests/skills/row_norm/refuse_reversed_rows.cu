/*
expect = "refuses"
refusal = "is read elsewhere than it is written"

[[argument]]
name = "x"
kind = "inout"
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
arguments = ["x", "i32:rows", "i32:columns"]
*/
// In place, but each term replaces another one.
extern "C" __global__ void k(float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  for (int c = 0; c < columns; ++c) {
    x[row * columns + columns - 1 - c] = x[row * columns + c] / sum;
  }
}
