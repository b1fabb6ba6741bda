/*
expect = "refuses"
refusal = "it stores what only some threads of a row have found"

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
sizes = { rows = 100, columns = 200 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "k"
grid = ["rows"]
block = [64]
arguments = ["x", "y", "i32:columns"]
*/
// The tree stops a step too early: each half of the block divides by its own sum.
extern "C" __global__ void k(const float* x, float* y, int columns) {
  __shared__ float sums[64];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 32; step > 1; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += 64) {
    y[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] / sums[threadIdx.x % 2];
  }
}
