/*
expect = "refuses"
refusal = "a loop of 400 iterations"

[[argument]]
name = "u"
kind = "in"
dtype = "f32"
shape = ["h", "w"]

[[argument]]
name = "v"
kind = "out"
dtype = "f32"
shape = ["h"]

[[workload]]
name = "plane"
timed = true
sizes = { h = 5000, w = 400 }

[cost]
bytes = "8 * h"
flops = "8 * h"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "row_sum"
grid = ["ceil_div(h, block_x)"]
block = [128]
arguments = ["u", "v", "i32:h", "i32:w"]
*/
extern "C" __global__ void row_sum(const float* u, float* v, int h, int w) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= h) return;
  float sum = 0.0f;
  for (int i = 0; i < w; ++i) sum += u[row * w + i];
  v[row] = sum;
}
