/*
expect = "refuses"
refusal = "how a column is put among those kept is not known"

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
shape = ["rows", 4]

[[argument]]
name = "positions"
kind = "out"
dtype = "i32"
shape = ["rows", 4]

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
kernel = "mixed"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "values", "positions", "i32:rows", "i32:columns"]
*/
// Equal keys pass the gate in one order and the list in another.
extern "C" __global__ void mixed(const float* x, float* values, int* positions, int rows,
                                 int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most[4];
  int at[4];
  for (int i = 0; i < 4; ++i) {
    most[i] = -3.0e38f;
    at[i] = -1;
  }
  for (int c = 0; c < columns; ++c) {
    float v = x[row * columns + c];
    if (v > most[3]) {
      int j = 3;
      while (j > 0 && v >= most[j - 1]) {
        most[j] = most[j - 1];
        at[j] = at[j - 1];
        --j;
      }
      most[j] = v;
      at[j] = c;
    }
  }
  for (int i = 0; i < 4; ++i) {
    values[row * 4 + i] = most[i];
    positions[row * 4 + i] = at[i];
  }
}
