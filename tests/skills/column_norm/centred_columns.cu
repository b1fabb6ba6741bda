/*
expect = "applies"

[[argument]]
name = "x"
kind = "inout"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 77, columns = 1100 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 1, columns = 3 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 300, columns = 33 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "centre"
grid = ["ceil_div(columns, 64)"]
block = [64]
arguments = ["x", "i32:rows", "i32:columns"]
*/
// Each column less its mean, in place; divided by the largest distance.
extern "C" __global__ void centre(float* x, int rows, int columns) {
  const int column = blockIdx.x * 64 + threadIdx.x;
  if (column < columns) {
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) sum += x[r * columns + column];
    const float mean = sum / rows;
    float largest = 1e-20f;
    for (int r = 0; r < rows; ++r) largest = fmaxf(largest, fabsf(x[r * columns + column] - mean));
    for (int r = 0; r < rows; ++r) x[r * columns + column] = (x[r * columns + column] - mean) / largest;
  }
}
