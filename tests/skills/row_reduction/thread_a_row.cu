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
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 260, columns = 70 }

[[workload]]
name = "w1"
sizes = { rows = 33, columns = 131 }

[[workload]]
name = "w2"
sizes = { rows = 1, columns = 1 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "row_sum"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "out", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void row_sum(const float* __restrict__ x, float* __restrict__ out, int rows,
                                   int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 1.0f;
    for (int c = 0; c < columns; c++) {
      sum += x[row * columns + c];
    }
    out[row] = sum / columns;
  }
}
