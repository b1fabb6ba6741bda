/*
expect = "refuses"
refusal = "in a loop behind the sum"

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
sizes = { rows = 300, columns = 100 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "normalise"
grid = ["rows"]
block = [128]
arguments = ["x", "y", "i32:columns"]
*/
extern "C" __global__ void normalise(const float* x, float* y, int columns) {
  __shared__ float room[128];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += x[blockIdx.x * columns + c];
  room[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    y[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] / room[0];
  }
}
