/*
expect = "applies"

[[argument]]
name = "lengths"
kind = "in"
dtype = "i32"
shape = ["rows"]
distributions = ["index_range"]
low = 0
high = 32

[[argument]]
name = "columns"
kind = "in"
dtype = "i32"
shape = ["rows", 32]
distributions = ["index_range"]
low = 0
high = 127

[[argument]]
name = "values"
kind = "in"
dtype = "f32"
shape = ["rows", 32]

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
kernel = "ell"
grid = ["2"]
block = [64]
arguments = ["lengths", "columns", "values", "x", "y", "i32:rows"]
*/
// Rows padded to one width, a negative column stands for none; rows with a stride over the grid.
extern "C" __global__ void ell(const int* lengths, const int* columns, const float* values,
                               const float* x, float* y, int rows) {
  int total = gridDim.x * blockDim.x;
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += total) {
    const int* c = columns + row * 32;
    float sum = 0.0f;
    for (int i = 0; i < lengths[row]; ++i) {
      const int column = c[i];
      if (column < 0) continue;
      sum += values[row * 32 + i] * __ldg(&x[column]);
    }
    y[row] = sum;
  }
}
