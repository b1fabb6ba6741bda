/*
expect = "applies"

[[argument]]
name = "shift"
kind = "in"
dtype = "i32"
shape = ["rows + 1"]
distributions = ["index_range"]
low = 0
high = 16

[[argument]]
name = "values"
kind = "in"
dtype = "i32"
shape = ["16 * rows + 16"]
distributions = ["index_range"]
low = -1000
high = 1000

[[argument]]
name = "y"
kind = "out"
dtype = "i32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 301 }

[[workload]]
name = "w1"
sizes = { rows = 1 }

[[workload]]
name = "w2"
sizes = { rows = 33 }

[contract]
tolerance = "exact"

[cost]
bytes = "136 * rows"
flops = "32 * rows"

[[kernel.launch]]
kernel = "sums"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["shift", "values", "y", "i32:rows"]
*/
// Sums of integers may take any order; the sum is kept in memory.
extern "C" __global__ void sums(const int* shift, const int* values, int* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  y[row] = 0;
  for (int i = 16 * row + shift[row]; i < 16 * row + 16 + shift[row + 1]; ++i) {
    y[row] += values[i];
  }
}
