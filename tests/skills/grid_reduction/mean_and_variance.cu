/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "mean"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[argument]]
name = "variance"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 3, columns = 4103 }

[[workload]]
name = "w1"
sizes = { rows = 2, columns = 5 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "moments"
grid = ["rows"]
block = [128]
arguments = ["x", "mean", "variance", "i32:columns"]
*/
__device__ float block_sum(float v, float* room) {
  room[threadIdx.x] = v;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];
    __syncthreads();
  }
  const float total = room[0];
  __syncthreads();
  return total;
}

extern "C" __global__ void moments(const float* x, float* mean, float* variance, int columns) {
  __shared__ float room[128];
  float sum = 0.0f;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = x[blockIdx.x * columns + c];
    sum += v;
    squares += v * v;
  }
  const float total = block_sum(sum, room);
  const float total_squares = block_sum(squares, room);
  if (threadIdx.x == 0) {
    const float m = total / columns;
    mean[blockIdx.x] = m;
    variance[blockIdx.x] = total_squares / columns - m * m;
  }
}
