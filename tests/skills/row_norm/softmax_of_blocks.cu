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
sizes = { rows = 37, columns = 1000 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 67 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["rows"]
block = [128]
arguments = ["x", "y", "i32:rows", "i32:columns"]
*/
__device__ float block_max(float value) {
  __shared__ float warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, d));
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[lane] : -INFINITY;
  if (warp == 0) {
    for (int d = 16; d > 0; d /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, d));
  }
  return value;
}

__device__ float block_sum(float value) {
  __shared__ float warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[lane] : 0.0f;
  if (warp == 0) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  }
  return value;
}

extern "C" __global__ void softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest_of_row;
  __shared__ float sum_of_row;
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float* in = x + row * columns;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
  largest = block_max(largest);
  if (threadIdx.x == 0) largest_of_row = largest;
  __syncthreads();
  largest = largest_of_row;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c] - largest);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sum_of_row = sum;
  __syncthreads();
  sum = sum_of_row;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    y[row * columns + c] = expf(in[c] - largest) / sum;
  }
}
