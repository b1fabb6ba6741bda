/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "out"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 258, columns = 66 }

[[workload]]
name = "w1"
sizes = { rows = 7, columns = 3 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "largest"
grid = ["ceil_div(rows, 4)"]
block = [128]
arguments = ["x", "out", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void largest(const float* x, float* out, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float best = -3.0e38f;
  for (int c = lane; c < columns; c += 32) best = fmaxf(best, x[row * columns + c]);
  for (int d = 16; d > 0; d >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, d));
  if (lane == 0) out[row] = best;
}
