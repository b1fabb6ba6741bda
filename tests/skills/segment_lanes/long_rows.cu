/*
expect = "applies"

[[argument]]
name = "lengths"
kind = "in"
dtype = "i32"
shape = ["rows"]
distributions = ["index_range"]
low = 0
high = 700

[[argument]]
name = "values"
kind = "in"
dtype = "f32"
shape = ["rows", 700]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 40 }

[[workload]]
name = "w1"
sizes = { rows = 3 }

[contract]
tolerance = "reduction"

[cost]
bytes = "136 * rows"
flops = "32 * rows"

[[kernel.launch]]
kernel = "long_rows"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["lengths", "values", "y", "i32:rows"]
*/
// Rows longer than the lanes of a group should take alone.
extern "C" __global__ void long_rows(const int* lengths, const float* values, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < lengths[row]; ++i) sum += values[row * 700 + i];
  y[row] = sum;
}
