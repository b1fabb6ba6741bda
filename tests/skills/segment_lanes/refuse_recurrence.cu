/*
expect = "refuses"
refusal = "is carried from one iteration to the next"

[[argument]]
name = "shift"
kind = "in"
dtype = "i32"
shape = ["rows + 1"]
distributions = ["index_range"]
low = 0
high = 16

[[argument]]
name = "columns"
kind = "in"
dtype = "i32"
shape = ["16 * rows + 16"]
distributions = ["index_range"]
low = 0
high = 127

[[argument]]
name = "values"
kind = "in"
dtype = "f32"
shape = ["16 * rows + 16"]

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["size"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 301, size = 128 }

[[workload]]
name = "w1"
sizes = { rows = 3, size = 131 }

[[workload]]
name = "w2"
sizes = { rows = 64, size = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "136 * rows"
flops = "32 * rows"

[[kernel.launch]]
kernel = "horner"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["shift", "columns", "values", "x", "y", "i32:rows"]
*/
// Each term needs the sum before it.
extern "C" __global__ void horner(const int* shift, const int* columns, const float* values,
                                  const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 16 * row + shift[row]; i < 16 * row + 16 + shift[row + 1]; ++i) {
    sum = sum * 0.5f + values[i] * x[columns[i]];
  }
  y[row] = sum;
}
