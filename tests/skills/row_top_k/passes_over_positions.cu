/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]
distributions = ["normal", "exact"]

[[argument]]
name = "values"
kind = "out"
dtype = "f32"
shape = ["rows", 8]

[[argument]]
name = "positions"
kind = "out"
dtype = "i32"
shape = ["rows", 8]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 13, columns = 1030 }

[[workload]]
name = "w1"
sizes = { rows = 3, columns = 9 }

[[workload]]
name = "w2"
sizes = { rows = 5, columns = 256 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "best8"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "values", "positions", "i32:rows", "i32:columns"]
*/
// Each pass looks through the positions that earlier passes wrote.
extern "C" __global__ void best8(const float* x, float* values, int* positions, int rows,
                                 int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int rank = 0; rank < 8; rank++) {
      int best = -1;
      for (int c = 0; c < columns; c++) {
        bool taken = false;
        for (int e = 0; e < rank; e++) {
          if (positions[row * 8 + e] == c) {
            taken = true;
            break;
          }
        }
        if (taken) continue;
        if (best == -1 || x[row * columns + c] > x[row * columns + best]) best = c;
      }
      positions[row * 8 + rank] = best;
      values[row * 8 + rank] = x[row * columns + best];
    }
  }
}
