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
sizes = { rows = 3, columns = 1500 }
[[workload]]
name = "w1"
sizes = { rows = 1, columns = 1 }
[[workload]]
name = "w2"
sizes = { rows = 130, columns = 129 }
[[workload]]
name = "w3"
sizes = { rows = 2, columns = 2048 }
[contract]
tolerance = "reduction"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "cumsum"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void cumsum(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + row * columns;
  float* out = y + row * columns;
  float total = 0.0f;
  for (int c = 0; c < columns; ++c) {
    total += in[c];
    out[c] = total;
  }
}
