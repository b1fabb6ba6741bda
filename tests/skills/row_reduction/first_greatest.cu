/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "at"
kind = "out"
dtype = "i32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 256, columns = 45 }

[[workload]]
name = "w1"
sizes = { rows = 9, columns = 2 }

[contract]
tolerance = "exact"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "argmax"
grid = ["ceil_div(rows, block_x)"]
block = [128]
arguments = ["x", "at", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void argmax(const float* x, int* at, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = x[row * columns];
  int where = 0;
  for (int c = 1; c < columns; ++c) {
    if (x[row * columns + c] > best) {
      best = x[row * columns + c];
      where = c;
    }
  }
  at[row] = where;
}
