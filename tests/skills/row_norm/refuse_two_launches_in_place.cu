/*
expect = "refuses"
refusal = "is read and written"

[[argument]]
name = "y"
kind = "inout"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 300, columns = 500 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 67 }

[[workload]]
name = "w3"
timed = false
sizes = { rows = 4, columns = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.scratch]]
name = "means"
dtype = "f32"
elements = "rows"

[[kernel.launch]]
kernel = "average"
grid = ["rows"]
block = [32]
arguments = ["y", "means", "i32:columns"]

[[kernel.launch]]
kernel = "centre"
grid = ["rows"]
block = [32]
arguments = ["y", "means", "i32:columns"]
*/
// Rows of the last launch may only be written once all rows of the one in front of it are read.
extern "C" __global__ void average(const float* y, float* means, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 32) {
    const int i = blockIdx.x * columns + c;
    sum += y[i];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) means[blockIdx.x] = sum / columns;
}

extern "C" __global__ void centre(float* y, const float* means, int columns) {
  for (int c = threadIdx.x; c < columns; c += 32) {
    const int i = blockIdx.x * columns + c;
    y[i] = y[i] - means[blockIdx.x];
  }
}
