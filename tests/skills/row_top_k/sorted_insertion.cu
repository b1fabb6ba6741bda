/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]
distributions = ["normal", "exact"]

[[argument]]
name = "values"
kind = "out"
dtype = "f32"
shape = ["rows", 16]

[[argument]]
name = "positions"
kind = "out"
dtype = "i32"
shape = ["rows", 16]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 13, columns = 1030 }

[[workload]]
name = "w1"
sizes = { rows = 3, columns = 17 }

[[workload]]
name = "w2"
sizes = { rows = 5, columns = 256 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "top16"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "values", "positions", "i32:rows", "i32:columns"]
*/
// One walk over the row; sixteen are kept sorted. Rows are taken with a stride over the grid.
extern "C" __global__ void top16(const float* __restrict__ x, float* __restrict__ values,
                                 int* __restrict__ positions, int rows, int columns) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
       row += gridDim.x * blockDim.x) {
    float most[16];
    int at[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      most[i] = -3.0e38f;
      at[i] = -1;
    }
    for (int c = 0; c < columns; ++c) {
      float v = x[(size_t)row * columns + c];
      if (v > most[15]) {
        int j = 15;
        while (j > 0 && v > most[j - 1]) {
          most[j] = most[j - 1];
          at[j] = at[j - 1];
          j--;
        }
        most[j] = v;
        at[j] = c;
      }
    }
    for (int i = 0; i < 16; ++i) {
      values[row * 16 + i] = most[i];
      positions[row * 16 + i] = at[i];
    }
  }
}
