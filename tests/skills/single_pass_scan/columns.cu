/*
expect = "refuses"
refusal = "the terms of a row do not lie side by side"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["rows", "columns"]
distributions = ["index_range"]
low = -4
high = 4
[[argument]]
name = "y"
kind = "out"
dtype = "i32"
shape = ["rows", "columns"]
[[workload]]
name = "w0"
timed = true
sizes = { rows = 300, columns = 64 }
[[workload]]
name = "w1"
sizes = { rows = 2, columns = 3 }
[contract]
tolerance = "exact"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "down"
grid = ["ceil_div(columns, 64)"]
block = [64]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
// Neighbouring threads read neighbouring elements.
extern "C" __global__ void down(const int* x, int* y, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  int sum = 0;
  for (int r = 0; r < rows; ++r) {
    sum += x[r * columns + c];
    y[r * columns + c] = sum;
  }
}
