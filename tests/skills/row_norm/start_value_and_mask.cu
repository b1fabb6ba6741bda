/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "mask"
kind = "in"
dtype = "i32"
shape = ["columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 400, columns = 50 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 9 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["x", "mask", "y", "i32:rows", "i32:columns"]
*/
// Scores below a mask do not count; the sum starts at a number of its own.
extern "C" __global__ void softmax(const float* x, const int* mask, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = -1e30f;
  for (int c = 0; c < columns; ++c) {
    if (mask[c] != 0) largest = fmaxf(largest, x[row * columns + c]);
  }
  float sum = 1e-6f;
  for (int c = 0; c < columns; ++c) {
    const float own = mask[c] != 0 ? expf(x[row * columns + c] - largest) : 0.0f;
    sum += own;
  }
  for (int c = 0; c < columns; ++c) {
    const float own = mask[c] != 0 ? expf(x[row * columns + c] - largest) : 0.0f;
    y[row * columns + c] = own / sum;
  }
}
