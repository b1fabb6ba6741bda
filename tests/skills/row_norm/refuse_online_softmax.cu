/*
expect = "refuses"
refusal = "is carried from one iteration to the next"

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
sizes = { rows = 300, columns = 100 }

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
extern "C" __global__ void k(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = -INFINITY;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {
    const float greater = fmaxf(largest, x[row * columns + c]);
    sum = sum * expf(largest - greater) + expf(x[row * columns + c] - greater);
    largest = greater;
  }
  for (int c = 0; c < columns; ++c) {
    y[row * columns + c] = expf(x[row * columns + c] - largest) / sum;
  }
}
