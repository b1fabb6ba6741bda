/*
expect = "refuses"
refusal = "it has more than two passes that find something"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 3, columns = 10000 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "k"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
// The mean, the largest distance from it, and the sum of what is left of that.
extern "C" __global__ void k(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  const float mean = sum / columns;
  float largest = 0.0f;
  for (int c = 0; c < columns; ++c) largest = fmaxf(largest, fabsf(x[row * columns + c] - mean));
  float rest = 0.0f;
  for (int c = 0; c < columns; ++c) rest += largest - fabsf(x[row * columns + c] - mean);
  for (int c = 0; c < columns; ++c) y[row * columns + c] = (x[row * columns + c] - mean) / rest;
}
