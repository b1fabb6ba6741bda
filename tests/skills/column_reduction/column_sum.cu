/*
expect = "applies"

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
sizes = { rows = 259, columns = 260 }

[[workload]]
name = "w1"
sizes = { rows = 3, columns = 131 }

[[workload]]
name = "w2"
sizes = { rows = 1, columns = 4 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "column_sum"
grid = ["ceil_div(columns, block_x)"]
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
