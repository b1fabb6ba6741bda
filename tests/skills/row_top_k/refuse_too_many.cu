/*
expect = "refuses"
refusal = "more than 64 are selected"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]
distributions = ["normal", "exact"]

[[argument]]
name = "positions"
kind = "out"
dtype = "i32"
shape = ["rows", 100]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 3, columns = 300 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "top100"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "positions", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void top100(const float* x, int* positions, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int rank = 0; rank < 100; ++rank) {
    int best = -1;
    for (int c = 0; c < columns; ++c) {
      bool taken = false;
      for (int e = 0; e < rank; ++e) taken = taken || positions[row * 100 + e] == c;
      if (!taken && (best < 0 || x[row * columns + c] > x[row * columns + best])) best = c;
    }
    positions[row * 100 + rank] = best;
  }
}
