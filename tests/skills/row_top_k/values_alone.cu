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
shape = ["rows", "k"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 7, columns = 523, k = 40 }

[[workload]]
name = "w1"
sizes = { rows = 2, columns = 41, k = 40 }

[[workload]]
name = "w2"
sizes = { rows = 2, columns = 90, k = 64 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "most"
grid = ["ceil_div(rows, block_x)"]
block = [32]
arguments = ["x", "values", "i32:rows", "i32:columns", "i32:k"]
*/
// Values without positions, k at run time, and a mark for every column; later ones first among equals.
extern "C" __global__ void most(const float* x, float* values, int rows, int columns, int k) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  bool used[600];
  for (int c = 0; c < columns; ++c) used[c] = false;
  for (int rank = 0; rank < k; ++rank) {
    int best = -1;
    for (int c = 0; c < columns; ++c) {
      if (!used[c] && (best == -1 || x[r * columns + c] >= x[r * columns + best])) best = c;
    }
    used[best] = true;
    values[r * k + rank] = x[r * columns + best];
  }
}
