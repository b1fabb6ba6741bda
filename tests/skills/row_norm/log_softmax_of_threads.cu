/*
expect = "applies"

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
sizes = { rows = 300, columns = 99 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 7, columns = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 2, columns = 4 }

[[hidden]]
size = "rows"
low = 1
high = 130

[[hidden]]
size = "columns"
low = 1
high = 97

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "log_softmax"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void log_softmax(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float largest = x[row * columns];
    for (int c = 1; c < columns; ++c) {
      if (x[row * columns + c] > largest) largest = x[row * columns + c];
    }
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) sum += expf(x[row * columns + c] - largest);
    const float shift = largest + logf(sum);
    for (int c = 0; c < columns; ++c) y[row * columns + c] = x[row * columns + c] - shift;
  }
}
