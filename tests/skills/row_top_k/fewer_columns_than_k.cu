/*
expect = "applies"

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
shape = ["rows", 8]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 9, columns = 70 }

[[workload]]
name = "w1"
sizes = { rows = 4, columns = 3 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "top8"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "positions", "i32:rows", "i32:columns"]
*/
// A row may have fewer columns than are asked for: ranks behind them keep the start.
extern "C" __global__ void top8(const float* x, int* positions, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int rank = 0; rank < 8; ++rank) {
    float most = -1.0e30f;
    int best = -1;
    for (int c = 0; c < columns; ++c) {
      bool taken = false;
      for (int e = 0; e < rank; ++e) taken = taken || positions[row * 8 + e] == c;
      if (!taken && x[row * columns + c] > most) {
        most = x[row * columns + c];
        best = c;
      }
    }
    positions[row * 8 + rank] = best;
  }
}
