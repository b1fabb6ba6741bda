/*
expect = "refuses"
refusal = "do not lie side by side"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "out"
kind = "out"
dtype = "f32"
shape = ["columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 300, columns = 300 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "column_sum"
grid = ["ceil_div(columns, 128)"]
block = [128]
arguments = ["x", "out", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void column_sum(const float* x, float* out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += x[row * columns + column];
  out[column] = sum;
}
