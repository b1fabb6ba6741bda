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
sizes = { rows = 500, columns = 33 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["ceil_div(rows, 32)"]
block = [32]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
// The second pass leaves exponentials in the output, the third one divides them.
extern "C" __global__ void softmax(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + row * columns;
  float* out = y + row * columns;
  float largest = -3.0e38f;
  for (int c = 0; c < columns; ++c) largest = fmaxf(largest, in[c]);
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {
    out[c] = expf(in[c] - largest);
    sum += out[c];
  }
  for (int c = 0; c < columns; ++c) out[c] /= sum;
}
