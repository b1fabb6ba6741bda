/*
expect = "applies"

[[argument]]
name = "length"
kind = "in"
dtype = "i32"
shape = ["rows"]
distributions = ["index_range"]
low = 0
high = 32

[[argument]]
name = "v"
kind = "in"
dtype = "f32"
shape = ["rows", 32]

[[argument]]
name = "out"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 300 }

[[workload]]
name = "w1"
sizes = { rows = 5 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "segments"
grid = ["ceil_div(rows, 128)"]
block = [128]
arguments = ["length", "v", "out", "i32:rows"]
*/
// Row r holds length[r] of 32 places.
extern "C" __global__ void segments(const int* length, const float* v, float* out, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int end = 32 * row + length[row];
  float sum = 0.0f;
  for (int i = 32 * row; i < end; ++i) sum += v[i];
  out[row] = sum;
}
