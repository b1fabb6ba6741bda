/*
expect = "refuses"
refusal = "is carried from one iteration to the next"

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
sizes = { rows = 260, columns = 270 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "decay"
grid = ["ceil_div(columns, block_x)"]
block = [64]
arguments = ["x", "out", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void decay(const float* x, float* out, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float state = 0.0f;
  for (int row = 0; row < rows; ++row) state = 0.5f * state + x[row * columns + column];
  out[column] = state;
}
