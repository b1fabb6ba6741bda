/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "v"
kind = "in"
dtype = "f32"
shape = ["rows"]

[[argument]]
name = "out"
kind = "out"
dtype = "f32"
shape = ["columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 300, columns = 256 }

[[workload]]
name = "w1"
sizes = { rows = 5, columns = 7 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "gemvt"
grid = ["ceil_div(columns, 64)"]
block = [64]
arguments = ["x", "v", "out", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void gemvt(const float* x, const float* v, float* out, int rows, int columns) {
  const unsigned c = blockIdx.x * 64 + threadIdx.x;
  if (c >= columns) return;
  float sum = 0.0f;
  for (unsigned r = 0; r < rows; ++r) sum += v[r] * x[r * columns + c];
  out[c] = fmaxf(sum, 0.0f);
}
