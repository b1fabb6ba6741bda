/*
expect = "refuses"
refusal = "ends where data say"

[[argument]]
name = "values"
kind = "in"
dtype = "f32"
shape = ["rows", 32]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 64 }

[contract]
tolerance = "reduction"

[cost]
bytes = "136 * rows"
flops = "32 * rows"

[[kernel.launch]]
kernel = "plain"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["values", "y", "i32:rows"]
*/
// All rows are of one length: a reduction, no gather.
extern "C" __global__ void plain(const float* values, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < 32; ++i) sum += values[row * 32 + i];
  y[row] = sum;
}
